import type { Hold } from "../../lock/history.ts";
import { readHolds } from "../../lock/history.ts";
import { type Metadata, readMetadata } from "../../lock/owner.ts";
import type { Holder, KeyStatus, Waiter } from "../../lock/store.ts";
import { cleanText } from "../../lock/text.ts";
import { decodeWireKey } from "../../wire/key.ts";
import {
  isHoldfast,
  type LeaseStats,
  type LockStats,
  type PartyStats,
  type SemaphoreStats,
  type Stats,
} from "../../wire/stats.ts";

/** One key as its server tells it. */
export interface KeyStats {
  readonly wireKey: string;
  readonly slots: number;
  readonly waiting: number;
  /** Empty where the server only counts. */
  readonly leases: readonly LeaseStats[];
  readonly line: readonly PartyStats[];
  /** What a foreign server knows about holders. */
  readonly nameless: readonly { readonly connection: number | null }[];
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
export function pastIn(stats: Stats, wireKey: string): Hold[] {
  const { locks, semaphores, idle_locks: idleLocks, idle_semaphores: idleSemaphores } = stats;
  const found = [...locks, ...semaphores, ...idleLocks, ...idleSemaphores].find(
    ({ key, holds }) => key === wireKey && holds !== undefined,
  );
  return readHolds(found?.holds);
}

/** Free keys that the server still remembers. */
export function idleKeysIn(stats: Stats): string[] {
  return [...stats.idle_locks, ...stats.idle_semaphores].map(({ key }) => key);
}

function lockStats(lock: LockStats, ours: boolean): KeyStats {
  return {
    wireKey: lock.key,
    slots: 1,
    waiting: Number(lock.waiters) || 0,
    ...(ours
      ? { leases: lock.leases ?? [], line: lock.line ?? [], nameless: [] }
      : { leases: [], line: [], nameless: [{ connection: lock.owner_conn_id }] }),
  };
}

function semaphoreStats(semaphore: SemaphoreStats, ours: boolean): KeyStats {
  const { key, limit, holders, waiters, leases = [], line = [] } = semaphore;
  const nameless = Array.from({ length: ours ? 0 : Number(holders) || 0 }, () => ({
    connection: null,
  }));
  const details = ours ? { leases, line, nameless } : { leases: [], line: [], nameless };
  return { wireKey: key, slots: limit, waiting: Number(waiters) || 0, ...details };
}

/** `key`: as the user wrote it, where that is known. */
export function statusOf(
  found: KeyStats | null,
  store: string,
  key = decodeWireKey(found?.wireKey ?? ""),
): KeyStatus {
  if (found === null) return { key, store, slots: 1, holders: [], waiting: 0, waiters: [] };
  const { slots, waiting } = found;
  return {
    key,
    store,
    slots,
    holders: holdersOf(found),
    waiting,
    waiters: waitersOf(found),
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

/** `ttl` is the server's lease: so long the lock outlives the last word from its holder. */
function holderOf(lease: LeaseStats): Holder {
  const metadata = readMetadata(lease.metadata);
  return {
    owner: ownerOf(lease),
    since: lease.since,
    ttl: lease.lease_s,
    fence: lease.fence,
    slot: lease.slot,
    pid: typeof metadata.process_id === "number" ? metadata.process_id : null,
    host: textOf(metadata, "hostname"),
    // Where its connection stands it lives: the server frees what a closed one held, mostly.
    alive: lease.gone === true ? null : true,
    reclaimable: null,
    note: lease.note === null ? null : cleanText(lease.note),
    metadata,
    heartbeat: lease.renewed,
  };
}

function namelessHolder({ connection }: { connection: number | null }, slot: number): Holder {
  return {
    owner: connection === null ? "unknown" : `connection-${connection}`,
    since: null,
    ttl: null,
    fence: null,
    slot,
    pid: null,
    host: null,
    alive: true,
    reclaimable: null,
    note: null,
    metadata: {},
    heartbeat: null,
  };
}

function waiterOf(party: PartyStats, index: number): Waiter {
  return {
    owner: ownerOf(party),
    since: party.since,
    position: index + 1,
    alive: true,
    note: party.note === null ? null : cleanText(party.note),
    metadata: readMetadata(party.metadata),
  };
}

/** Clients that are not ours do not say who they are. */
function ownerOf(party: PartyStats): string {
  return party.owner === null ? `connection-${party.conn_id}` : cleanText(party.owner);
}

function textOf(metadata: Metadata, field: string): string | null {
  const value = metadata[field];
  return typeof value === "string" ? value : null;
}
