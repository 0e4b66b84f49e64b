import { join } from "node:path";
import type { ReclaimReason, Vitality } from "../../../lock/reclaim.ts";
import type { Holder, KeyStatus, Waiter } from "../../../lock/status.ts";
import { oneSlot, PLAIN_KEY, PLAIN_WAITER } from "../../../lock/status.ts";
import type { Lease } from "../../../lock/store.ts";
import { cleanText } from "../../../lock/text.ts";
import type { Place } from "../disk/place.ts";
import { type OwnRecord, runEndOf } from "../format/record.ts";
import { lineOf } from "../format/ticket.ts";
import { type Examined, examineSlot, examineTicket, nameOf, Sightings } from "./examine.ts";
import { recall } from "./fence-file.ts";
import { lookForFreeze } from "./freeze.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps, step } from "./world.ts";

/** Looks at a key without its guard. The result is a moment's picture; nothing is changed. */
export function* inspectSteps(
  place: Place,
  store: string,
  rules: JudgeRules,
): Steps<KeyStatus & { remembered: boolean }> {
  const sightings = new Sightings();
  const memory = yield* recall(place);
  const holders: Holder[] = [];
  let slots = memory.slots;
  for (let slot = 0; slot < slots; slot++) {
    const lock = yield* examineSlot(place, slot, rules, sightings);
    if (lock === null) continue;
    if (lock.record.kind === "holdfast") slots = Math.max(slots, lock.record.slots);
    holders.push({ ...holderOf(lock), ...(yield* describeProcesses(lock)) });
  }
  const waiters: Waiter[] = [];
  const names = yield* step("list", place.side);
  const frozen = yield* lookForFreeze(place, names);
  for (const name of lineOf(names)) {
    const found = yield* examineTicket(join(place.side, name), sightings);
    // A dead waiter is no longer in line, though its ticket still lies there.
    if (found?.ticket == null || found.dead) continue;
    const { owner, since, note, metadata, slots: agreed } = found.ticket;
    slots = Math.max(slots, agreed);
    const position = waiters.length + 1;
    const isStopped = (yield* step("describe", found.ticket.process))?.stopped ?? false;
    waiters.push({
      owner,
      since: new Date(since).toISOString(),
      position,
      ...PLAIN_WAITER,
      alive: found.alive,
      note,
      metadata,
      ...(isStopped ? { stopped: true } : {}),
    });
  }
  const remembered = memory.fence !== null;
  return {
    key: place.key,
    store,
    slots,
    ...PLAIN_KEY,
    holders,
    waiting: waiters.length,
    waiters,
    frozen: frozen?.freeze ?? null,
    remembered,
  };
}

/** What the system tells of a lock's living processes: which command it covers, and whether one is stopped. */
function* describeProcesses({
  record,
  verdict,
}: Examined): Steps<Pick<Holder, "stopped" | "command">> {
  const covered = record.kind === "holdfast" ? record.covered?.pid : undefined;
  let found: Pick<Holder, "stopped" | "command"> = {};
  for (const mark of verdict.living) {
    const described = yield* step("describe", mark);
    if (described?.stopped) found = { ...found, stopped: true };
    if (described === null || mark.pid !== covered) continue;
    const alone = verdict.living.length === 1;
    const command = { pid: mark.pid, name: cleanText(described.name), alone };
    found = { ...found, command: described.stopped ? { ...command, stopped: true } : command };
  }
  return found;
}

/** Whether a lease still holds. All slots are looked at, since a caller may know the fence alone. */
export function* verifySteps(
  place: Place,
  rules: JudgeRules,
  lease: Pick<Lease, "fence" | "slot">,
): Steps<boolean> {
  const sightings = new Sightings();
  let slots = Math.max((yield* recall(place)).slots, lease.slot + 1);
  for (let slot = 0; slot < slots; slot++) {
    const lock = yield* examineSlot(place, slot, rules, sightings);
    if (lock?.record.kind !== "holdfast") continue;
    if (lock.record.fence === lease.fence) return isHeld(lock);
    slots = Math.max(slots, lock.record.slots);
  }
  return false;
}

/** A process that exists holds its lock until it is taken; a run's hold is over with its time. */
function isHeld({ record, verdict }: Examined): boolean {
  const isOfRun = record.kind === "holdfast" && record.run !== null;
  return verdict.alive !== false && !(isOfRun && verdict.vitality === "expired");
}

const RECLAIMABLE: Partial<Record<Vitality, ReclaimReason>> = {
  dead: "HOLDER_DEAD",
  expired: "LOCK_EXPIRED",
};

export function holderOf(lock: Examined): Holder {
  return { ...describeHolder(lock), reclaimable: RECLAIMABLE[lock.verdict.vitality] ?? null };
}

function runOf(record: OwnRecord): Pick<Holder, "run"> {
  const end = runEndOf(record);
  if (record.run === null || end === null) return {};
  return { run: { id: record.run.id, until: new Date(end).toISOString() } };
}

function describeHolder(lock: Examined): Omit<Holder, "reclaimable"> {
  const { record, verdict, slot } = lock;
  const unknown = {
    ...oneSlot(slot),
    fence: null,
    pid: null,
    host: null,
    note: null,
    ttl: null,
    metadata: {},
  };
  switch (record.kind) {
    case "holdfast":
      return {
        owner: record.owner,
        since: new Date(record.acquired).toISOString(),
        ttl: record.ttl,
        fence: record.fence,
        ...oneSlot(slot),
        // The process that claimed for a run has mostly ended, and the lock does not hang on it.
        pid: record.run === null ? record.process.pid : null,
        host: record.process.host,
        alive: verdict.alive,
        note: record.note,
        metadata: record.metadata,
        heartbeat: new Date(record.beaten).toISOString(),
        ...runOf(record),
      };
    case "sema": {
      const since = new Date(record.timestamp * 1_000);
      const time = Number.isNaN(since.getTime()) ? null : since.toISOString();
      return {
        ...unknown,
        owner: nameOf(lock),
        since: time,
        pid: record.pid,
        alive: verdict.alive,
        note: record.tag,
        heartbeat: null,
      };
    }
    case "policy": {
      const since = new Date(record.since).toISOString();
      const { owner, ttl, metadata } = record;
      const pid = typeof metadata.process_id === "number" ? metadata.process_id : null;
      const host = typeof metadata.hostname === "string" ? metadata.hostname : null;
      return {
        ...unknown,
        owner,
        since,
        ttl,
        pid,
        host,
        alive: verdict.alive,
        // Where a migration put the tag of a sema lock.
        note: typeof metadata.tag === "string" ? metadata.tag : null,
        metadata,
        heartbeat: since,
      };
    }
    case "unreadable": {
      const since = new Date(lock.view.modified).toISOString();
      return {
        ...unknown,
        owner: nameOf(lock),
        since,
        alive: null,
        heartbeat: null,
        problem: record.problem,
      };
    }
  }
}
