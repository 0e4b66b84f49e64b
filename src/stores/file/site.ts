import { lstatSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";
import { LockError } from "../../lock/errors.ts";
import { parseKey } from "../../lock/key.ts";
import type { StorePromises } from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { checkDefault } from "../../machine/private-directory.ts";
import { openProcesses, type Processes } from "../../machine/processes.ts";
import type { StoreOptions } from "../options.ts";
import { explain, notADirectory } from "./disk/errors.ts";
import {
  defaultDirectory,
  type Location,
  locationUrl,
  nearestExisting,
  parseLocation,
  resolveLocation,
  resolveLock,
} from "./disk/location.ts";
import { sharedFilesystem } from "./disk/network.ts";
import { inside, LOCK_SUFFIX, lockFileName, type Place, placeOf } from "./disk/place.ts";
import { ForgeAnswers } from "./forge.ts";
import type { JudgeRules } from "./protocol/judge.ts";

export const DEFAULT_STALE_TIMEOUT_MS = 3_600_000;

/** The site of a file store: where it is and which rules apply. Shared by its reader, holder and claims. */
export class Site {
  readonly url: string;
  readonly scope: StorePromises["scope"];
  /** Between machines. */
  readonly shared: boolean;
  readonly options: StoreOptions;
  readonly processes: Processes;
  /** What the forge says about runs that hold locks here. */
  readonly forge: ForgeAnswers;
  readonly location: Location;
  readonly directory: string;
  readonly #name: string;
  /** The store is one lock file, and its name is a link to it. */
  readonly #isLink: boolean;

  constructor(store: string, options: StoreOptions) {
    const facts = describeFileStore(store, options.workingDirectory);
    this.url = facts.url;
    this.scope = facts.scope;
    this.shared = facts.shared;
    this.options = options;
    this.processes = openProcesses({ sharedFilesystem: facts.shared });
    this.forge = new ForgeAnswers(options.alive);
    this.location = facts.resolved;
    const { kind, path } = facts.resolved;
    if (kind === "lock") checkNoSlot(store, path);
    this.directory = kind === "directory" ? path : dirname(path);
    this.#isLink = kind === "lock" && isLink(facts.location.path);
    this.#name = basename(facts.location.path, LOCK_SUFFIX);
  }

  /** Checked. In a store that is one lock file, the key is that file's name, and may be left out. */
  key(key: string): string {
    if (this.location.kind === "directory") return parseKey(key);
    const name = this.#name;
    if (key === "" || key === name || key === name + LOCK_SUFFIX)
      return parseKey(name || LOCK_SUFFIX);
    throw new LockError(
      "BAD_KEY",
      `The store ${this.url} is one lock file, whose key is ${quote(name)}: leave the key ${quote(key)} out, or name a directory.`,
    );
  }

  /** Whether the files go to the default directory; a link there may put a lock file elsewhere. */
  get isDefault(): boolean {
    return this.location.isDefault && this.directory === defaultDirectory();
  }

  /** The place of a checked key. */
  place(key: string): Place {
    if (this.location.kind === "lock") return placeOf(key, this.location.path, this.#isLink);
    const lock = inside(this.location.path, lockFileName(key));
    // The directory was resolved when the store was opened; only the file itself may be a link.
    return isLink(lock)
      ? placeOf(key, resolveLock(lock, this.location.within), true)
      : placeOf(key, lock);
  }

  /** Looking must not create anything; a store that is not there yet is empty. */
  checkReadable(): void {
    // A default directory that is a link is refused, even if it leads nowhere.
    const look = this.isDefault ? lstatSync : statSync;
    const stat = look(this.directory, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (this.isDefault) checkDefault(this.directory);
    if (!stat.isDirectory()) throw notADirectory(this.directory);
  }

  rules(): JudgeRules {
    return {
      staleTimeout: this.options.staleTimeout ?? DEFAULT_STALE_TIMEOUT_MS,
      staleRule: this.options.stale ?? "both",
      hostname: this.processes.self.host,
      boot: this.processes.self.boot,
    };
  }

  /** Does something at the place of a key, which is checked at once. */
  async at<T>(key: string, call: (place: Place) => T | Promise<T>): Promise<T> {
    const checked = this.key(key);
    return this.explained(() => call(this.place(checked)));
  }

  /** Turns every failure into a sentence about this store. */
  async explained<T>(call: () => T | Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw explain(error, this.directory);
    }
  }
}

/** What can be said of a file store without opening it. */
interface FileStoreFacts {
  readonly url: string;
  readonly location: Location;
  readonly resolved: Location;
  /** Between machines. */
  readonly shared: boolean;
  readonly scope: "filesystem" | "machine";
}

/** Throws BAD_STORE, and everything else that is wrong with the path. Makes nothing. */
function describeFileStore(store: string, workingDirectory = process.cwd()): FileStoreFacts {
  const location = parseLocation(store, workingDirectory);
  try {
    const resolved = resolveLocation(location);
    const shared = sharedFilesystem(nearestExisting(resolved.path)) !== null;
    return {
      // A link to a lock file keeps its own name: by that the user knows the lock and its key.
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

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/** Refuses another key's slot as a lock of its own: the two would change one file under two guards. */
function checkNoSlot(store: string, path: string): void {
  const match = /^(.+)@(\d{1,4})\.lock$/.exec(basename(path));
  if (match === null) return;
  throw new LockError(
    "BAD_STORE",
    `The store ${quote(store, 120)} is the name of slot ${match[2]} of the lock ${quote(`${match[1]}${LOCK_SUFFIX}`)}: name its directory, or a lock file without @${match[2]}.`,
  );
}
