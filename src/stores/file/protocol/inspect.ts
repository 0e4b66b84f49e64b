import { join } from "node:path";
import { servingOrder } from "../../../lock/admission.ts";
import type { ReclaimReason, Vitality } from "../../../lock/reclaim.ts";
import { followNames, nameFreeze, resourcesOf } from "../../../lock/resources.ts";
import type { Holder, KeyStatus, Waiter } from "../../../lock/status.ts";
import type { Lease } from "../../../lock/store.ts";
import { cleanText } from "../../../lock/text.ts";
import type { Place } from "../disk/place.ts";
import { type OwnRecord, runEndOf } from "../format/record.ts";
import { lineOf, type Standing, standingOf } from "../format/ticket.ts";
import {
  type Examined,
  type ExaminedTicket,
  examineHolders,
  examineTicket,
  fenceOf,
  heldBy,
  nameOf,
  Observations,
  type Occupant,
} from "./examine.ts";
import { type Memory, passedOf, recall } from "./fence-file.ts";
import { lookForFreezes } from "./frozen.ts";
import type { JudgeRules } from "./judge.ts";
import { type Steps, step } from "./world.ts";

/** Looks at a key without its guard. The result is a moment's picture; nothing is changed. */
export function* inspectSteps(
  place: Place,
  store: string,
  rules: JudgeRules,
): Steps<KeyStatus & { remembered: boolean }> {
  const observations = new Observations();
  const memory = yield* recall(place);
  const holders: Holder[] = [];
  let { slots, resources = null }: { slots: number; resources?: readonly string[] | null } = memory;
  for (const occupant of yield* examineHolders(place, slots, rules, observations)) {
    const { record } = occupant.lock;
    if (record.kind === "holdfast") {
      slots = Math.max(slots, record.slots);
      resources = record.resources ?? null;
    }
    holders.push({ ...holderOf(occupant), ...(yield* describeProcesses(occupant.lock)) });
  }
  const waiters: Waiter[] = [];
  const names = yield* step("list", place.side);
  const frozen = yield* lookForFreezes(place, names);
  for (const standing of inServingOrder(memory, lineOf(names))) {
    const found = yield* examineTicket(join(place.side, standing.name), observations);
    // A dead waiter is no longer in line, though its ticket still lies there.
    if (found?.ticket == null || found.dead) continue;
    slots = Math.max(slots, found.ticket.slots);
    if (holders.length === 0) resources = found.ticket.resources ?? null;
    const isStopped = (yield* step("describe", found.ticket.process))?.stopped ?? false;
    waiters.push({
      ...waiterOf(found, standing, waiters.length + 1),
      ...(isStopped ? { stopped: true } : {}),
    });
  }
  return {
    key: place.key,
    store,
    slots,
    resources,
    holders,
    waiting: waiters.length,
    waiters,
    frozen: frozen.find(({ slot }) => slot === null)?.freeze ?? null,
    frozenSlots: followNames(frozen, resources).flatMap(({ slot, freeze, resource }) => {
      const named = resource === undefined ? {} : { resource };
      return slot === null ? [] : nameFreeze({ ...freeze, slot, ...named }, resources);
    }),
    remembered: memory.fence !== null,
  };
}

/** The claims in line, in the order in which they are served. */
export function inServingOrder(memory: Memory, line: readonly string[]): Standing[] {
  const all = line.map(standingOf);
  const order = servingOrder(all.map((each) => ({ ...each, passed: passedOf(memory, each) })));
  return order.flatMap((place) => all[place] ?? []);
}

export function waiterOf(
  { ticket, alive }: ExaminedTicket,
  { weight, priority, ready }: Standing,
  position: number,
): Waiter {
  const { owner = "unknown", since = 0, note = null, metadata = {} } = ticket ?? {};
  const joined = new Date(since).toISOString();
  return { owner, since: joined, position, weight, priority, ready, alive, note, metadata };
}

/**
 * What the system tells about a lock's living processes: which command it covers, and whether one is stopped.
 */
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

/** Whether a lease still holds. All slots are looked at, since a caller may know only the fence. */
export function* verifySteps(
  place: Place,
  rules: JudgeRules,
  lease: Pick<Lease, "fence" | "slot">,
): Steps<boolean> {
  const slots = Math.max((yield* recall(place)).slots, lease.slot + 1);
  for (const { lock, isWhole } of yield* examineHolders(place, slots, rules, new Observations()))
    if (fenceOf(lock) !== null && fenceOf(lock) === lease.fence) return isWhole && isHeld(lock);
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

export function holderOf({ lock, isWhole }: Occupant): Holder {
  // The next claim removes what is only a part of a hold.
  const reclaimable = isWhole ? (RECLAIMABLE[lock.verdict.vitality] ?? null) : "HOLDER_DEAD";
  return { ...describeHolder(lock), reclaimable };
}

/** The slots of a holder, and their names. */
function placesOf(lock: Examined): Pick<Holder, "slot" | "weight" | "slots" | "resources"> {
  const slots = heldBy(lock);
  const names = lock.record.kind === "holdfast" ? (lock.record.resources ?? null) : null;
  return {
    slot: slots[0] ?? lock.slot,
    weight: slots.length,
    slots,
    resources: resourcesOf(names, slots),
  };
}

function runOf(record: OwnRecord): Pick<Holder, "run"> {
  const end = runEndOf(record);
  if (record.run === null || end === null) return {};
  return { run: { id: record.run.id, until: new Date(end).toISOString() } };
}

function describeHolder(lock: Examined): Omit<Holder, "reclaimable"> {
  const { record, verdict } = lock;
  const unknown = {
    ...placesOf(lock),
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
        ...placesOf(lock),
        // The process that claimed for a run has mostly ended, and the lock does not depend on it.
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
