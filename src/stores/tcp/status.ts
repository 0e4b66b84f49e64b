import type { Hold } from "../../lock/history.ts";
import { readHolds } from "../../lock/history.ts";
import { type Metadata, readMetadata } from "../../lock/owner.ts";
import { SLOTS_LIMIT } from "../../lock/resources.ts";
import type { Freeze, Holder, KeyStatus, SlotFreeze, Waiter } from "../../lock/status.ts";
import { oneSlot, PLAIN_KEY } from "../../lock/status.ts";
import { decodeWireKey } from "../../wire/key.ts";
import {
  isHoldfast,
  type LeaseStats,
  type LockStats,
  type PartyStats,
  type SemaphoreStats,
  type Stats,
  type WaiterStats,
} from "../../wire/stats.ts";
import {
  amountIn,
  cleanIn,
  countIn,
  type Fields,
  freezeIn,
  listIn,
  namesIn,
  rankIn,
  runIn,
  slotFreezesIn,
  slotsIn,
  timeIn,
} from "../remote/fields.ts";

/** One key as its server tells it. */
export interface KeyStats {
  readonly wireKey: string;
  readonly slots: number;
  readonly waiting: number;
  /** Empty if the server only counts. */
  readonly leases: readonly LeaseStats[];
  readonly line: readonly WaiterStats[];
  /** What a foreign server knows about holders. */
  readonly nameless: readonly { readonly connection: number | null }[];
  readonly frozen: Freeze | null;
  readonly frozenSlots: readonly SlotFreeze[];
  readonly resources: readonly string[] | null;
}

/** Every key that is held or waited for. */
export function keysIn(stats: Stats): KeyStats[] {
  const ours = isHoldfast(stats);
  return [
    ...stats.locks.map((lock) => lockStats(lock, ours)),
    ...stats.semaphores.map((semaphore) => semaphoreStats(semaphore, ours)),
  ];
}

export function keyIn(stats: Stats, wireKey: string): KeyStats | null {
  return keysIn(stats).find((key) => key.wireKey === wireKey) ?? null;
}

/** The holds of a key that are over, newest first; a free key has them too. */
export function pastIn(stats: Stats, wireKey: string, limit: number): Hold[] {
  const { locks, semaphores, idle_locks: idleLocks, idle_semaphores: idleSemaphores } = stats;
  const found = [...locks, ...semaphores, ...idleLocks, ...idleSemaphores].find(
    ({ key, holds }) => key === wireKey && holds !== undefined,
  );
  return readHolds(found?.holds, limit);
}

/** Free keys that the server still remembers. */
export function idleKeysIn(stats: Stats): string[] {
  return [...stats.idle_locks, ...stats.idle_semaphores].map(({ key }) => key);
}

function lockStats(lock: LockStats, ours: boolean): KeyStats {
  return {
    wireKey: lock.key,
    slots: 1,
    waiting: countIn({ ...lock }, "waiters") ?? 0,
    ...detailsIn({ ...lock }, ours),
    ...(ours
      ? { leases: partiesIn(lock, "leases"), line: partiesIn(lock, "line"), nameless: [] }
      : { leases: [], line: [], nameless: [{ connection: lock.owner_conn_id }] }),
  };
}

function semaphoreStats(semaphore: SemaphoreStats, ours: boolean): KeyStats {
  const fields: Fields = { ...semaphore };
  const slots = Math.min(SLOTS_LIMIT, Math.max(1, countIn(fields, "limit") ?? 1));
  const held = ours ? 0 : Math.min(SLOTS_LIMIT, countIn(fields, "holders") ?? 0);
  return {
    wireKey: semaphore.key,
    slots,
    waiting: countIn(fields, "waiters") ?? 0,
    ...detailsIn(fields, ours),
    leases: ours ? partiesIn(semaphore, "leases") : [],
    line: ours ? partiesIn(semaphore, "line") : [],
    nameless: Array.from({ length: held }, () => ({ connection: null })),
  };
}

function detailsIn(fields: Fields, ours: boolean) {
  return {
    frozen: ours ? freezeIn(fields) : null,
    frozenSlots: ours ? slotFreezesIn(fields) : [],
    resources: ours ? namesIn(fields, "resources") : null,
  };
}

/** The holders or the line of a key; of whatever else a server says, nothing. */
function partiesIn<Name extends "leases" | "line">(
  key: LockStats | SemaphoreStats,
  name: Name,
): readonly (Name extends "leases" ? LeaseStats : WaiterStats)[] {
  return (listIn({ ...key }, name) ?? []) as never;
}

/** `key`: as the user wrote it, if that is known. */
export function statusOf(
  found: KeyStats | null,
  store: string,
  key = decodeWireKey(found?.wireKey ?? ""),
): KeyStatus {
  if (found === null)
    return {
      key,
      store,
      slots: 1,
      ...PLAIN_KEY,
      holders: [],
      waiting: 0,
      waiters: [],
      frozen: null,
    };
  const { slots, resources, waiting, frozen, frozenSlots } = found;
  return {
    key,
    store,
    slots,
    resources,
    holders: holdersOf(found),
    waiting,
    waiters: waitersOf(found),
    frozen,
    frozenSlots,
  };
}

export function holdersOf({ leases, nameless }: KeyStats): Holder[] {
  return [...leases.map(holderOf), ...nameless.map(namelessHolder)].sort(
    (one, other) => one.slot - other.slot,
  );
}

export function waitersOf({ line }: KeyStats): Waiter[] {
  return line.map(waiterOf);
}

/** `ttl` is the server's lease: the lock outlives the last word from its holder by that. */
function holderOf(lease: LeaseStats): Holder {
  const metadata = readMetadata(lease.metadata);
  const fields: Fields = { ...lease };
  const slots = slotsIn(fields, "slots");
  return {
    owner: ownerOf(lease),
    since: timeIn(fields, "since"),
    ttl: amountIn(fields, "lease_s"),
    fence: countIn(fields, "fence"),
    slot: slots[0] ?? 0,
    weight: slots.length,
    slots,
    resources: namesIn(fields, "resources"),
    pid: typeof metadata.process_id === "number" ? metadata.process_id : null,
    host: textOf(metadata, "hostname"),
    // While its connection stands it lives: mostly the server frees what a closed one held.
    alive: lease.gone === true ? null : true,
    reclaimable: null,
    note: cleanIn(fields, "note"),
    metadata,
    heartbeat: timeIn(fields, "renewed"),
    ...runIn(fields),
  };
}

function namelessHolder({ connection }: { connection: number | null }, slot: number): Holder {
  return {
    owner: connection === null ? "unknown" : `connection-${connection}`,
    since: null,
    ttl: null,
    fence: null,
    ...oneSlot(slot),
    pid: null,
    host: null,
    alive: true,
    reclaimable: null,
    note: null,
    metadata: {},
    heartbeat: null,
  };
}

function waiterOf(party: WaiterStats, index: number): Waiter {
  const fields: Fields = { ...party };
  return {
    owner: ownerOf(party),
    since: timeIn(fields, "since") ?? new Date().toISOString(),
    position: index + 1,
    ...rankIn(fields),
    alive: true,
    note: cleanIn(fields, "note"),
    metadata: readMetadata(party.metadata),
  };
}

/** Clients that are not ours do not say who they are. */
function ownerOf(party: PartyStats): string {
  return cleanIn({ ...party }, "owner") ?? `connection-${party.conn_id}`;
}

function textOf(metadata: Metadata, field: string): string | null {
  const value = metadata[field];
  return typeof value === "string" ? value : null;
}
