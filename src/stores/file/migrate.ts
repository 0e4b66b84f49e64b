import { fchmodSync, fchownSync, lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { LockError } from "../../lock/errors.ts";
import type { LockFormat } from "../../lock/request.ts";
import { systemClock } from "../../lock/time.ts";
import { openProcesses } from "../../machine/processes.ts";
import { userName } from "../../machine/user.ts";
import { perform } from "../steps.ts";
import { type Auditor, record as audit } from "./audit/entry.ts";
import { keyOf } from "./disk/catalogue.ts";
import { fileMode, preparePlace } from "./disk/directory.ts";
import { explain } from "./disk/errors.ts";
import { GuardPool } from "./disk/guard-pool.ts";
import { parseLocation, resolveLock } from "./disk/location.ts";
import { patienceOn, sharedFilesystem } from "./disk/network.ts";
import { LOCK_SUFFIX, type Place, placeOf, temporaryPath } from "./disk/place.ts";
import { openWorld } from "./disk/world.ts";
import { convert } from "./format/convert.ts";
import { underGuard } from "./protocol/end/burial.ts";
import { type Examined, examineSlot, nameOf } from "./protocol/examine.ts";
import type { JudgeRules } from "./protocol/judge.ts";
import { type Steps, step, type World } from "./protocol/world.ts";
import { DEFAULT_STALE_TIMEOUT_MS } from "./site.ts";

/** How long to wait for the guard: a section takes less than a millisecond, a stopped process stays for ever. */
const PATIENCE_MS = 10_000;
/** How often to look again if a tool that knows no guard replaced the file meanwhile. */
const ATTEMPTS = 10;

export interface MigrateOptions {
  readonly to: LockFormat;
  /** Who migrates, for the record. */
  readonly owner: string;
  readonly user?: string;
  readonly workingDirectory?: string;
}

export interface Migration {
  readonly path: string;
  readonly outcome: "migrated" | "already" | "live" | "garbage" | "missing";
  /** A sentence for people. */
  readonly message: string;
}

/**
 * Converts one lock file, in place. Throws BAD_STORE for a path that no store would take, and BAD_LOCK_FILE for
 * a directory or a lock for which the other format has no words; the file is then unchanged.
 */
export async function migrateLockFile(path: string, options: MigrateOptions): Promise<Migration> {
  const lock = lockAt(path, options.workingDirectory ?? process.cwd());
  const guards = new GuardPool();
  try {
    const stat = lstatSync(lock, { throwIfNoEntry: false });
    if (stat === undefined) return missing(lock);
    if (stat.isDirectory())
      throw new LockError(
        "BAD_LOCK_FILE",
        `${lock} is a directory, not a lock file: name the lock files in it.`,
      );
    const { place, slot } = ownerOf(lock);
    const shared = sharedFilesystem(place.directory) !== null;
    const processes = openProcesses({ sharedFilesystem: shared });
    const world = openWorld({
      clock: systemClock,
      processes,
      guards,
      mode: fileMode(place.directory),
      sync: true,
      shared,
      prepare: () => preparePlace(place),
      patience: PATIENCE_MS,
    });
    const hostname = processes.self.host;
    const steps = migrateSteps({
      place: { ...place, key: keyOf(world, place.lock) },
      slot,
      path: lock,
      to: options.to,
      by: options.owner,
      rules: { staleTimeout: DEFAULT_STALE_TIMEOUT_MS, staleRule: "both", hostname },
      auditor: { user: options.user ?? userName(), pid: process.pid },
    });
    return await perform(likeOriginal(world, lock), steps, patienceOn(shared));
  } catch (error) {
    throw explain(error, dirname(lock));
  } finally {
    guards.close();
  }
}

/** The same rules as for a store: `..` is refused, links are followed. */
function lockAt(path: string, workingDirectory: string): string {
  if (path === "")
    throw new LockError("BAD_LOCK_FILE", "The path is empty: name the lock file to migrate.");
  const location = parseLocation(path, workingDirectory);
  try {
    return resolveLock(location.path, location.within);
  } catch (error) {
    throw explain(error, location.path);
  }
}

/** The key whose guard protects the file: `name@2.lock` is a slot of `name.lock`, unless it has side files of its own. */
function ownerOf(lock: string): { place: Place; slot: number } {
  const own = placeOf("", lock);
  const match = /^(.+)@(\d{1,4})\.lock$/.exec(basename(lock));
  if (match === null || lstatSync(own.side, { throwIfNoEntry: false }) !== undefined)
    return { place: own, slot: 0 };
  return {
    place: placeOf("", join(dirname(lock), match[1] + LOCK_SUFFIX)),
    slot: Number(match[2]),
  };
}

/** Gives the new file the mode of the old one and, if this user may give files away, its owner. */
function likeOriginal(world: World, path: string): World {
  const create: World["create"] = (temporary, content) => {
    const descriptor = world.create(temporary, content);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || process.platform === "win32") return descriptor;
    if (stat.uid !== process.geteuid?.() && process.geteuid?.() === 0)
      fchownSync(descriptor.handle, stat.uid, stat.gid);
    fchmodSync(descriptor.handle, stat.mode & 0o777);
    return descriptor;
  };
  return { ...world, create };
}

interface Task {
  readonly place: Place;
  readonly slot: number;
  readonly path: string;
  readonly to: LockFormat;
  readonly by: string;
  readonly rules: JudgeRules;
  readonly auditor: Auditor;
}

function* migrateSteps(task: Task): Steps<Migration> {
  const { place, rules } = task;
  return yield* underGuard(place, rules, function* (observations) {
    for (let tries = 0; tries < ATTEMPTS; tries++) {
      const lock = yield* examineSlot(place, task.slot, rules, observations);
      if (lock === null) return missing(task.path);
      const outcome = yield* migrateOne(task, lock);
      if (outcome !== null) return outcome;
    }
    throw new LockError(
      "STORE_UNREACHABLE",
      `${task.path} changes faster than it can be converted: try again when its lock is quiet.`,
    );
  });
}

/** Null if the file is no longer the one that was read. */
function* migrateOne(task: Task, lock: Examined): Steps<Migration | null> {
  const { path, to } = task;
  const context = { hostname: task.rules.hostname, now: yield* step("now") };
  const conversion = convert(lock.record, to, context);
  const name = JSON.stringify(nameOf(lock));
  switch (conversion.state) {
    case "already":
      return { path, outcome: "already", message: `${path} is in the ${to} format already.` };
    case "garbage": {
      const message = `${path} is left alone, since it is not a lock that can be read: ${conversion.why}.`;
      return { path, outcome: "garbage", message };
    }
    case "impossible":
      throw new LockError(
        "BAD_LOCK_FILE",
        `${path} cannot be converted to ${to}: ${conversion.why}.`,
      );
    case "converted": {
      const { vitality } = lock.verdict;
      // Its holder writes through a descriptor of the old file and would count the lock as lost.
      if (lock.record.kind === "holdfast" && vitality !== "dead" && vitality !== "expired") {
        const message = `${path} is left alone, since ${name} holds it: migrate it when it is released.`;
        return { path, outcome: "live", message };
      }
      if (!(yield* replace(task, lock, conversion.content))) return null;
      return { path, outcome: "migrated", message: `${path} is now in the ${to} format.` };
    }
  }
}

/** Replaces a lock by a complete file, in one step, if it is still the one that was read. */
function* replace(task: Task, lock: Examined, content: string): Steps<boolean> {
  const temporary = temporaryPath(lock.path, task.auditor.pid, yield* step("random"));
  const descriptor = yield* step("create", temporary, content);
  let replaced = false;
  try {
    if ((yield* step("inode", lock.path)) !== lock.view.inode) return false;
    const details = {
      key: task.place.key,
      existingOwner: nameOf(lock),
      from: formatOf(lock),
      to: task.to,
      slot: lock.slot,
      by: task.by,
    };
    yield* audit(task.place, task.auditor, "migrate", lock.path, details);
    // False: a sema tool's `clean` took the temporary file away.
    replaced = yield* step("rename", temporary, lock.path);
    return replaced;
  } finally {
    if (!replaced) yield* step("remove", temporary);
    yield* step("close", descriptor);
  }
}

function formatOf({ record }: Examined): string {
  switch (record.kind) {
    case "holdfast":
      return record.format;
    case "policy":
      return record.legacy ? "old json" : "json";
    default:
      return record.kind;
  }
}

function missing(path: string): Migration {
  return { path, outcome: "missing", message: `${path} is not there: nothing to migrate.` };
}
