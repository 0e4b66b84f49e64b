import { LockError, systemCode } from "../../../lock/errors.ts";
import type { Metadata } from "../../../lock/owner.ts";
import type { ReclaimReason } from "../../../lock/reclaim.ts";
import { nextFence } from "../../../lock/time.ts";
import { record as audit } from "../audit/entry.ts";
import { slotPath, temporaryPath } from "../disk/place.ts";
import { writeLock } from "../format/format.ts";
import type { OwnRecord } from "../format/record.ts";
import { bury } from "./end/burial.ts";
import { type Examined, fenceOf, nameOf } from "./examine.ts";
import { type Memory, remember } from "./fence-file.ts";
import { type Claim, leaveLine } from "./line.ts";
import { type Descriptor, type Steps, step } from "./world.ts";

/** A lock that this claim may take from its holder, and why. */
export interface Reclaim {
  readonly lock: Examined;
  readonly reason: ReclaimReason;
  readonly priority: "high" | "medium";
}

/** A granted lock: its file, open, and what it says. */
export interface Grant {
  readonly path: string;
  readonly descriptor: Descriptor;
  readonly record: OwnRecord;
  /** The record as it was written. */
  readonly content: string;
  readonly reclaimed: { readonly from: string; readonly reason: ReclaimReason } | null;
}

/** How often a temporary file that another tool's cleaning removed is made again before giving up. */
const TEMPORARY_ATTEMPTS = 10;

/**
 * Takes a slot's lock for this claim, under the guard. Null where a tool that knows no guard was
 * first: the caller looks again.
 */
export function* take(
  claim: Claim,
  memory: Memory,
  slot: number,
  reclaim: Reclaim | null,
): Steps<Grant | null> {
  if (reclaim !== null && !(yield* recordAndBury(claim, reclaim))) return null;
  const record = yield* newRecord(claim, memory, slot, reclaim);
  // Before the lock appears: a crash in between wastes a number, the other order would repeat one.
  yield* remember(claim.place, record.fence, claim.slots);
  const path = slotPath(claim.place, slot);
  const content = writeLock(record);
  const descriptor = yield* place(claim, path, content);
  if (descriptor === null) return null;
  try {
    const waited = Math.round((yield* step("monotonic")) - claim.started);
    const details = {
      key: record.key,
      owner: record.owner,
      fence: record.fence,
      slot,
      waited,
      metadata: record.metadata,
    };
    yield* audit(claim.place, claim.auditor, "acquire", path, details);
    // Last, since it wakes the next in line, which would find the guard busy.
    yield* leaveLine(claim);
  } catch (error) {
    // Failing after the lock appeared must not leave it behind, held by a process that gave up.
    yield* step("remove", path);
    yield* step("close", descriptor);
    throw error;
  }
  const from = reclaim === null ? null : { from: nameOf(reclaim.lock), reason: reclaim.reason };
  return { path, descriptor, record, content, reclaimed: from };
}

/**
 * Records a reclaim and then buries the lock, as a break and a clean do. In this order a crash in
 * between leaves a line about a lock that the next claim takes anyway; in the other a lock would be
 * gone without a line, and its holder could not be told who took it.
 */
export function* recordAndBury(claim: Claim, { lock, reason, priority }: Reclaim): Steps<boolean> {
  const details = {
    key: claim.place.key,
    existingOwner: nameOf(lock),
    newOwner: claim.owner.id,
    reason,
    priority,
    fence: fenceOf(lock),
    slot: lock.slot,
  };
  yield* audit(claim.place, claim.auditor, "reclaim", lock.path, details);
  return yield* bury(claim.place, lock);
}

function* newRecord(
  claim: Claim,
  memory: Memory,
  slot: number,
  reclaim: Reclaim | null,
): Steps<OwnRecord> {
  const now = yield* step("now");
  const monotonic = yield* step("monotonic");
  const previous = reclaim?.lock.record.kind === "holdfast" ? reclaim.lock.record.fence : 0;
  const metadata: Metadata =
    reclaim === null
      ? claim.owner.metadata
      : {
          ...claim.owner.metadata,
          reclaimed_from: nameOf(reclaim.lock),
          reclaimed_reason: reclaim.reason,
        };
  return {
    kind: "holdfast",
    format: claim.format,
    key: claim.place.key,
    owner: claim.owner.id,
    note: claim.note,
    metadata,
    fence: nextFence(Math.max(memory.fence ?? 0, previous), now),
    slot,
    slots: claim.slots,
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

/** Puts a complete file under the lock's name, or returns null where there already is one. */
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
