import { LockError, systemCode } from "../../../lock/errors.ts";
import type { Metadata } from "../../../lock/owner.ts";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import { resourcesOf } from "../../../lock/resources.ts";
import { nextFence } from "../../../lock/time.ts";
import { record as audit } from "../audit/entry.ts";
import { type Place, slotPath, temporaryPath } from "../disk/place.ts";
import { parseLock, writeLock } from "../format/format.ts";
import { type OwnRecord, slotsOf } from "../format/record.ts";
import { nextNumber } from "../format/ticket.ts";
import { buryAll } from "./end/burial.ts";
import { fenceOf, nameOf, type Occupant, slotsIn } from "./examine.ts";
import { passesAfter, type Recalled, remember } from "./fence-file.ts";
import { type Claim, type Line, leaveLine, ownStanding } from "./line.ts";
import { checkNewer, supersedeOlder } from "./newest.ts";
import { type Descriptor, type Steps, step } from "./world.ts";

/** A holder whose slots this claim may take, and why. */
export interface Reclaim {
  readonly holder: Occupant;
  readonly reason: ReclaimReason;
  readonly priority: "high" | "medium";
  /** Those of its slots that are given out. */
  readonly gives: readonly number[];
  /** It has slots beyond this claim's, from a time when the key had more: it goes with the next grant. */
  readonly isSurplus: boolean;
}

/** What a claim is to get. */
export interface Choice {
  readonly memory: Recalled;
  /** As many as its weight, the lowest first. */
  readonly slots: readonly number[];
  /** The holders that have some of these slots. */
  readonly reclaims: readonly Reclaim[];
  readonly surplus: readonly Reclaim[];
}

/** A lock file of this process: open, and what it says. */
export interface OwnFile {
  readonly slot: number;
  readonly path: string;
  readonly descriptor: Descriptor;
  /** As it was last written. */
  content: string;
}

/** A granted lock: a file for each of its slots, the lowest first. */
export interface Grant {
  readonly files: readonly [OwnFile, ...OwnFile[]];
  /** Of the first file. The others differ in their slot alone. */
  readonly record: OwnRecord;
  readonly reclaimed: { readonly from: string; readonly reason: ReclaimReason } | null;
}

/** How often a temporary file that another tool's cleaning removed is made again before giving up. */
const TEMPORARY_ATTEMPTS = 10;

/**
 * Takes those slots for this claim, under the guard. Null if a tool that knows no guard was first: the caller
 * looks again. A crash between two of its files leaves a part of a grant, which every claim that looks at the
 * slots removes.
 */
export function* take(claim: Claim, line: Line, choice: Choice): Steps<Grant | null> {
  const { memory, reclaims, surplus } = choice;
  const names = line.others.map(({ name }) => name);
  const isNew = claim.ticket === null;
  if (isNew) yield* checkNewer(claim, names);
  for (const reclaim of [...surplus, ...reclaims])
    if (!(yield* recordAndBury(claim, reclaim))) return null;
  const record = yield* newRecord(claim, choice);
  const now = yield* step("now");
  const own = isNew ? nextNumber(names, now) : ownStanding(claim).number;
  const passes = passesAfter(memory, line.others, { number: own, fence: record.fence });
  const change = { before: memory, resources: claim.resources, passes, pid: claim.process.pid };
  // Before the lock appears: a crash in between wastes a number, the other order would repeat one.
  yield* remember(claim.place, record.fence, claim.slots, change);
  const files = yield* placeAll(claim, record, choice.slots);
  if (files === null) return null;
  try {
    const waited = Math.round((yield* step("monotonic")) - claim.started);
    const { key, owner, fence, slot, together, metadata } = record;
    const slots = together === undefined ? {} : { slots: together };
    const resources = resourcesOf(claim.resources, slotsOf(record));
    const held = resources === null ? slots : { ...slots, resources };
    const details = { key, owner, fence, slot, ...held, waited, metadata };
    yield* audit(claim.place, claim.auditor, "acquire", files[0].path, details);
    // One that stood in line has ended the older ones when it joined.
    if (isNew && claim.newest) yield* supersedeOlder(claim, names);
    // Last, since it wakes the next in line, which would find the guard busy.
    yield* leaveLine(claim);
  } catch (error) {
    // A failure after the lock appeared must not leave the lock behind, held by a process that gave up.
    yield* takeBack(files);
    throw error;
  }
  const [first] = reclaims;
  const reclaimed =
    first === undefined ? null : { from: nameOf(first.holder.lock), reason: first.reason };
  return { files, record, reclaimed };
}

/** Makes the lock files, all or none; null if another tool has one of them. */
function* placeAll(
  claim: Claim,
  record: OwnRecord,
  slots: readonly number[],
): Steps<Grant["files"] | null> {
  const files: OwnFile[] = [];
  let isWhole = false;
  try {
    for (const slot of slots) {
      const path = slotPath(claim.place, slot);
      const content = writeLock({ ...record, slot });
      const descriptor = yield* place(claim, path, content);
      if (descriptor === null) return null;
      files.push({ slot, path, descriptor, content });
    }
    const [first, ...more] = files;
    isWhole = first !== undefined;
    return first === undefined ? null : [first, ...more];
  } finally {
    if (!isWhole) yield* takeBack(files);
  }
}

/** Removes locks that were just made. Under the guard. */
function* takeBack(files: readonly OwnFile[]): Steps<void> {
  for (const { path } of files) yield* step("remove", path);
  yield* closeAll(files);
}

export function* closeAll(files: readonly OwnFile[]): Steps<void> {
  for (const { descriptor } of files) yield* step("close", descriptor);
}

/**
 * Opens a lock that was granted before, by one of its slots: its first file, and the others that it names. Null
 * if one of them is not there, or not of that grant.
 */
export function* openGrant(
  place: Place,
  slot: number,
  isMeant: (record: OwnRecord) => boolean,
): Steps<Grant | null> {
  const opened = yield* openFile(place, slot, isMeant);
  if (opened === null) return null;
  const { file, record } = opened;
  const files: [OwnFile, ...OwnFile[]] = [file];
  for (const other of slotsOf(record).filter((each) => each !== slot)) {
    const more = yield* openFile(place, other, isMeant);
    if (more === null) {
      yield* closeAll(files);
      return null;
    }
    files.push(more.file);
  }
  return { files, record, reclaimed: null };
}

function* openFile(
  place: Place,
  slot: number,
  isMeant: (record: OwnRecord) => boolean,
): Steps<{ file: OwnFile; record: OwnRecord } | null> {
  const path = slotPath(place, slot);
  const descriptor = yield* step("open", path);
  if (descriptor === null) return null;
  const view = yield* step("read", path);
  const record = view === null ? null : parseLock(view.content);
  if (view?.inode === descriptor.inode && record?.kind === "holdfast" && isMeant(record)) {
    const content = Buffer.from(view.content).toString("utf8");
    return { file: { slot, path, descriptor, content }, record };
  }
  yield* step("close", descriptor);
  return null;
}

/**
 * Records a reclaim and then buries the lock, as a break and a clean do. In this order a crash in between leaves
 * a line about a lock that the next claim takes anyway. In the other order a lock would be gone without a line,
 * and nobody could tell its holder who took it.
 */
function* recordAndBury(claim: Claim, { holder, reason, priority }: Reclaim): Steps<boolean> {
  const { lock } = holder;
  const details = {
    key: claim.place.key,
    existingOwner: nameOf(lock),
    newOwner: claim.owner.id,
    reason,
    priority,
    fence: fenceOf(lock),
    ...slotsIn(lock),
  };
  yield* audit(claim.place, claim.auditor, "reclaim", lock.path, details);
  return yield* buryAll(claim.place, holder);
}

function* newRecord(claim: Claim, { memory, slots, reclaims }: Choice): Steps<OwnRecord> {
  const now = yield* step("now");
  const monotonic = yield* step("monotonic");
  const fences = reclaims.map(({ holder }) => fenceOf(holder.lock) ?? 0);
  const [first] = reclaims;
  const metadata: Metadata =
    first === undefined
      ? claim.owner.metadata
      : {
          ...claim.owner.metadata,
          reclaimed_from: nameOf(first.holder.lock),
          reclaimed_reason: first.reason,
        };
  return {
    kind: "holdfast",
    format: claim.format,
    key: claim.place.key,
    owner: claim.owner.id,
    note: claim.note,
    metadata,
    fence: nextFence(Math.max(memory.fence ?? 0, ...fences), now),
    slot: slots[0] ?? 0,
    slots: claim.slots,
    ...(slots.length === 1 ? {} : { together: slots }),
    ...(claim.resources === null ? {} : { resources: claim.resources }),
    digest: claim.digest,
    process: claim.holder,
    covered: null,
    run: claim.run === null ? null : { id: claim.run.id, forge: claim.run.forge, sharers: [] },
    acquired: Math.floor(claim.run === null ? now : yield* step("fileNow", claim.place.guard)),
    refreshed: Math.floor(now),
    refreshedMonotonic: monotonic,
    ttl: claim.ttl,
    deadAfter: claim.deadAfter,
    beat: 0,
    beaten: Math.floor(now),
  };
}

/** Puts a complete file under the lock's name; null if there already is one. */
function* place(claim: Claim, path: string, content: string): Steps<Descriptor | null> {
  for (let tries = 0; tries < TEMPORARY_ATTEMPTS; tries++) {
    const temporary = temporaryPath(path, claim.process.pid, yield* step("random"));
    const descriptor = yield* step("create", temporary, content);
    let outcome: "linked" | "exists" | "source-gone" | "unsupported" | "failed" = "failed";
    try {
      outcome = yield* step("link", temporary, path);
    } finally {
      yield* step("remove", temporary);
      if (outcome !== "linked") yield* step("close", descriptor);
    }
    if (outcome === "linked") return descriptor;
    if (outcome === "exists") return null;
    if (outcome === "unsupported") return yield* createDirectly(path, content);
    // source-gone: a sema tool's `clean` removes foreign temporary files.
  }
  throw new LockError(
    "STORE_UNREACHABLE",
    `Temporary files beside ${path} vanish as soon as they are made: stop whatever cleans that directory.`,
  );
}

/** For filesystems without hard links. A reader may then meet a half-written file: it waits. */
function* createDirectly(path: string, content: string): Steps<Descriptor | null> {
  try {
    return yield* step("create", path, content);
  } catch (error) {
    if (systemCode(error) === "EEXIST") return null;
    throw error;
  }
}
