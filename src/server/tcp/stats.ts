import type { Hold } from "../../lock/history.ts";
import { resourcesOf } from "../../lock/resources.ts";
import { byteLength } from "../../lock/text.ts";
import type { Clock } from "../../lock/time.ts";
import {
  type IdleStats,
  type LeaseStats,
  type LockStats,
  type PartyStats,
  SERVER_NAME,
  type SemaphoreStats,
  type WaiterStats,
} from "../../wire/stats.ts";
import { type History, HOLDS_OF_KEY } from "../memory/history.ts";
import { frozenSlotsOf } from "../observers/describe.ts";
import type { Claim, Entry } from "../table/claim.ts";
import type { LockTable } from "../table/table.ts";

/** How many bytes of keys a reply holds. Clients read up to 1 MiB, and there is text around the lists. */
const BYTES_LIMIT = 900_000;

/** How many bytes of holds: the key itself needs room as well. */
const HOLDS_BYTES_LIMIT = 400_000;

/** How many waiters of a key are shown where all keys are asked for. */
const LINE_SHOWN = 20;

export interface StatsSource {
  readonly table: LockTable;
  readonly clock: Clock;
  readonly version: string;
  /** Open connections. */
  readonly connections: () => number;
  readonly history: History;
  /** Milliseconds after which a silent connection is cut off. */
  readonly readTimeout: number;
}

/** Describes the server alone, in reply to an introduction, which asks for nothing else but its own number. */
export function describeServer(source: StatsSource, connection: number): string {
  return new StatsWriter(source).finish({ conn_id: connection });
}

/** Describes one key. Counted in bytes, so that a key with ten thousand waiters still fits. */
export function describeKey(
  source: StatsSource,
  { key, history }: { readonly key: string; readonly history: boolean },
): string {
  const writer = new StatsWriter(source);
  const holds = history ? withinBytes(source.history.of(key, HOLDS_OF_KEY)) : undefined;
  const entry = source.table.find(key);
  if (entry !== undefined) writer.add(entry, Number.POSITIVE_INFINITY, holds);
  else if (holds !== undefined && holds.length > 0) writer.addForgotten(key, holds);
  return writer.finish();
}

/** The newest holds, as many as fit. */
function withinBytes(holds: readonly Hold[]): readonly Hold[] {
  let room = HOLDS_BYTES_LIMIT;
  const end = holds.findIndex((hold) => {
    room -= byteLength(JSON.stringify(hold)) + 1;
    return room < 0;
  });
  return end === -1 ? holds : holds.slice(0, end);
}

/** Describes all keys, busy ones first. */
export function describeTable(source: StatsSource): string {
  const writer = new StatsWriter(source);
  for (const entry of source.table.busyEntries()) writer.add(entry, LINE_SHOWN);
  for (const entry of source.table.idleEntries()) writer.add(entry, 0);
  return writer.finish();
}

class StatsWriter {
  readonly #source: StatsSource;
  readonly #now: number;
  readonly #locks: string[] = [];
  readonly #semaphores: string[] = [];
  readonly #idleLocks: string[] = [];
  readonly #idleSemaphores: string[] = [];
  #bytes = 0;
  #leftOut = 0;

  constructor(source: StatsSource) {
    this.#source = source;
    this.#now = source.clock.monotonic();
  }

  /** Adds a key; `holds` is its history, where that was asked for. */
  add(entry: Entry, lineShown: number, holds?: readonly Hold[]): void {
    if (this.#bytes >= BYTES_LIMIT) {
      this.#leftOut += 1;
      return;
    }
    const more = holds === undefined ? {} : { holds };
    this.#bytes += holds === undefined ? 0 : byteLength(JSON.stringify(holds));
    // A key can be free although clients wait for it, where none of them is there just now. One that has
    // to wait all the same, as behind a claim on its way back after a restart, has to find itself in the line.
    const free = entry.holders.size === 0 && entry.isOpenTo();
    const text = free ? this.#idle(entry, more) : this.#busy(entry, lineShown, more);
    this.#bytes += byteLength(text) + 1;
    if (this.#bytes >= BYTES_LIMIT) {
      this.#leftOut += 1;
      return;
    }
    const lock = entry.limit === 1;
    if (free) (lock ? this.#idleLocks : this.#idleSemaphores).push(text);
    else (lock ? this.#locks : this.#semaphores).push(text);
  }

  /** Adds a key that only history still knows. */
  addForgotten(key: string, holds: readonly Hold[]): void {
    this.#idleLocks.push(JSON.stringify({ key, idle_s: 0, holds }));
  }

  finish(more: object = {}): string {
    const { connections, version, readTimeout } = this.#source;
    const read_timeout_s = readTimeout / 1_000;
    const server = JSON.stringify({ name: SERVER_NAME, version, read_timeout_s, ...more });
    const leftOut = this.#leftOut === 0 ? "" : `,"left_out":${this.#leftOut}`;
    return (
      `{"connections":${connections()},"locks":[${this.#locks}],"semaphores":[${this.#semaphores}],` +
      `"idle_locks":[${this.#idleLocks}],"idle_semaphores":[${this.#idleSemaphores}],` +
      `"server":${server}${leftOut}}`
    );
  }

  #idle(entry: Entry, more: object): string {
    const idle: IdleStats = {
      key: entry.key,
      idle_s: entry.idle ? seconds(this.#now - entry.idleSince) : 0,
      ...more,
    };
    return JSON.stringify(idle);
  }

  #busy(entry: Entry, lineShown: number, more: object): string {
    const { key, limit, resources, holders, waiters, freeze, frozenSlots } = entry;
    const details = {
      ...(freeze === null ? {} : { frozen: freeze }),
      ...(frozenSlots.size === 0 ? {} : { frozenSlots: frozenSlotsOf(entry) }),
      ...(resources === null ? {} : { resources }),
      leases: [...this.#within(holders, limit, (claim) => this.#lease(claim))],
      line: [...this.#within(waiters.inOrder, lineShown, describeWaiter)],
      ...more,
    };
    if (limit > 1) {
      const semaphore: SemaphoreStats = {
        key,
        limit,
        holders: holders.size,
        waiters: waiters.size,
        ...details,
      };
      return JSON.stringify(semaphore);
    }
    const holder = holders.first;
    const lock: LockStats = {
      key,
      // Of a key that nobody holds, and nobody gets now: no connection has this number.
      owner_conn_id: holder?.party.id ?? 0,
      lease_expires_in_s: holder === null ? 0 : this.#left(holder),
      waiters: waiters.size,
      ...details,
    };
    return JSON.stringify(lock);
  }

  /** Describes so many claims, in no more than half of the room that is left. */
  *#within<T>(claims: Iterable<Claim>, count: number, describe: (claim: Claim) => T): Generator<T> {
    let left = count;
    let room = (BYTES_LIMIT - this.#bytes) / 2;
    for (const claim of claims) {
      const element = describe(claim);
      left -= 1;
      room -= byteLength(JSON.stringify(element)) + 1;
      if (left < 0 || room < 0) return;
      yield element;
    }
  }

  #lease(claim: Claim): LeaseStats {
    const resources = resourcesOf(claim.entry.resources, claim.slots);
    return {
      ...describeParty(claim),
      fence: claim.fence,
      slot: claim.slot,
      ...(claim.weight === 1 ? {} : { slots: claim.slots }),
      ...(resources === null ? {} : { resources }),
      lease_s: claim.lease / 1_000,
      lease_expires_in_s: this.#left(claim),
      renewed: new Date(claim.renewed).toISOString(),
      ...(claim.party.gone ? { gone: true } : {}),
      ...(claim.run === null ? {} : { run: { id: claim.run, until: claim.bound } }),
    };
  }

  #left(claim: Claim): number {
    return seconds(Math.max(0, claim.expires - this.#now));
  }
}

function describeParty({ party, since }: Claim): PartyStats {
  const { introduction } = party;
  return {
    conn_id: party.id,
    owner: introduction?.owner.id ?? null,
    note: introduction?.note ?? null,
    metadata: introduction?.owner.metadata ?? {},
    since: new Date(since).toISOString(),
  };
}

function describeWaiter(claim: Claim): WaiterStats {
  const { weight, priority, declared } = claim;
  return {
    ...describeParty(claim),
    ...(weight === 1 ? {} : { weight }),
    ...(priority === 0 ? {} : { priority }),
    ...(declared ? {} : { ready: false }),
  };
}

function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1_000;
}
