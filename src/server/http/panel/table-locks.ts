import { messageOf } from "../../../lock/errors.ts";
import type { Hold } from "../../../lock/history.ts";
import { checkOnly, slotMeant } from "../../../lock/request.ts";
import type { Freeze, PastFreeze } from "../../../lock/status.ts";
import type { OneSlot } from "../../../lock/store.ts";
import {
  describeEntry,
  describeFree,
  describeHolder,
  frozenSlotsOf,
  type HolderJson,
  type KeyJson,
  shownKey,
  type Past as Usual,
  wireKeyOf,
} from "../../observers/describe.ts";
import type { LockTable } from "../../table/table.ts";
import { Problem } from "../exchange.ts";
import {
  type Breaking,
  type Freezing,
  type Locks,
  notHeldAnyMore,
  type Past,
  type Recent,
  type Who,
} from "./locks.ts";

/** How many waiters are shown where one key is asked for. */
const LINE_SHOWN = 1_000;
/** Who freezes or thaws, where nobody said. */
const NAMELESS = "operator";

export interface TableSource {
  /** Wall clock, milliseconds. */
  now(): number;
  readonly table: LockTable;
  /** Newest first. */
  readonly history: Usual & {
    of(key: string, limit: number): readonly Hold[];
    freezesOf(key: string, limit: number): readonly PastFreeze[];
    recent(): Iterable<{ readonly key: string; readonly last: Hold }>;
  };
}

/** The server's own table, for those who look at it and change it from outside. */
export class TableLocks implements Locks {
  readonly #table: LockTable;
  readonly #history: TableSource["history"];

  readonly #now: () => number;

  constructor({ table, history, now }: TableSource) {
    this.#now = now;
    this.#table = table;
    this.#history = history;
  }

  ready(): void {}

  *busy(): Iterable<string> {
    for (const { key } of this.#table.busyEntries()) yield key;
  }

  *idle(): Iterable<string> {
    for (const { key } of this.#table.idleEntries()) yield key;
  }

  shown(wireKey: string): string {
    return shownKey(wireKey);
  }

  describe(wireKey: string): KeyJson {
    const entry = this.#table.find(wireKey);
    if (entry === undefined || entry.idle) return describeFree(wireKey, entry?.limit);
    return describeEntry(entry, this.#history);
  }

  look(key: string): KeyJson {
    const entry = this.#table.find(wireKeyOf(this.#table, key));
    return entry === undefined
      ? { ...describeFree(key), key }
      : describeEntry(entry, this.#history, LINE_SHOWN);
  }

  past(key: string, limit: number): Past {
    const wireKey = wireKeyOf(this.#table, key);
    const holds = this.#history.of(wireKey, limit);
    return { holds, freezes: this.#history.freezesOf(wireKey, limit) };
  }

  *recent(): Iterable<Recent> {
    for (const { key, last } of this.#history.recent()) {
      const isFree = this.#table.find(key)?.idle !== false;
      yield { key: shownKey(key), isFree, last };
    }
  }

  break(key: string, { slot, fence, ...breaking }: Breaking): HolderJson[] {
    const wireKey = wireKeyOf(this.#table, key);
    const holders = [...(this.#table.find(wireKey)?.holders ?? [])];
    const meant = holders.find(
      (claim) => claim.fence === fence && (slot === null || claim.slots.includes(slot)),
    );
    if (fence !== null && meant === undefined) throw notHeldAnyMore(fence);
    // Described first: what a claim's party is called may be gone when its lock is.
    const described = new Map(holders.map((claim) => [claim, describeHolder(claim)]));
    const broken = this.#table.break(wireKey, meant?.slot ?? slot, breaking);
    return broken.flatMap((claim) => described.get(claim) ?? []);
  }

  freeze(key: string, only: OneSlot, { by, reason, duration }: Freezing): Freeze {
    const wireKey = wireKeyOf(this.#table, key);
    const slot = this.#slotMeant(key, wireKey, only);
    const now = this.#now();
    const until = duration === null ? null : new Date(now + duration).toISOString();
    const since = new Date(now).toISOString();
    const freeze = { by: by ?? NAMELESS, reason, since, until };
    this.#table.freeze(wireKey, freeze, slot, only.resource);
    return slot === null ? freeze : ({ ...freeze, slot } as Freeze);
  }

  thaw(key: string, only: OneSlot, { by }: Who): Freeze | null {
    const wireKey = wireKeyOf(this.#table, key);
    return this.#table.thaw(wireKey, by ?? NAMELESS, this.#slotMeant(key, wireKey, only));
  }

  /** The slot that is meant alone; null: the whole key. */
  #slotMeant(key: string, wireKey: string, only: OneSlot): number | null {
    const entry = this.#table.current(wireKey);
    const { limit: slots = 1, resources = null, isUsed = false } = entry ?? {};
    const frozenSlots = entry === undefined ? [] : frozenSlotsOf(entry);
    try {
      return slotMeant(key, checkOnly(only), { slots, resources, frozenSlots, isUsed });
    } catch (error) {
      throw new Problem(400, "No such slot", messageOf(error));
    }
  }
}
