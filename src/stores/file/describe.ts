import { statSync } from "node:fs";
import { dirname } from "node:path";
import { explain } from "./disk/errors.ts";
import { type Location, locationUrl, parseLocation, resolveLocation } from "./disk/location.ts";
import { sharedFilesystem } from "./disk/network.ts";

/** What can be said of a file store without opening it. */
export interface FileStoreFacts {
  readonly url: string;
  readonly location: Location;
  readonly resolved: Location;
  /** Between machines. */
  readonly shared: boolean;
  readonly scope: "filesystem" | "machine";
}

/** Throws BAD_STORE and what else is wrong with the path. Makes nothing. */
export function describeFileStore(store: string, workingDirectory = process.cwd()): FileStoreFacts {
  const location = parseLocation(store, workingDirectory);
  try {
    const resolved = resolveLocation(location);
    const shared = sharedFilesystem(nearestExisting(resolved.path)) !== null;
    return {
      // A link to a lock file keeps its own name: the user knows the lock, and its key, by that.
      url: locationUrl(location.kind === "lock" ? location : resolved),
      location,
      resolved,
      shared,
      scope: shared ? "filesystem" : "machine",
    };
  } catch (error) {
    throw explain(error, location.path);
  }
}

function nearestExisting(path: string): string {
  const parent = dirname(path);
  const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
  return exists || parent === path ? path : nearestExisting(parent);
}
