import {
  type FrozenSlot,
  type HolderEntry,
  type KeyDocument,
  slotsOf,
} from "../../../src/stores/document/document.ts";
import { hasEnd } from "../../../src/stores/document/operations/grant.ts";
import { TIMING } from "../../../src/stores/document/timing.ts";
import type { Record } from "../record.ts";
import type { Engine } from "./engine.ts";

/** Times in documents are whole milliseconds, and a watcher's are rounded, too. */
const ROUNDING_MS = 3;
/** How soon a claim that waits sees that a time is over, when all is well: the patience with the dead before
 * it, a sleep, and what is lost on the way. */
const SEEN_MS = 90_000;

/** Who has written a state of a document. */
export interface Writer {
  /** The time of the engine's answer from which it knew the engine's time. */
  readonly basedOn: number;
  /** Whether it hears the engine's clock. */
  readonly hears: boolean;
}

/** Something that ends by time: a hold or a freeze. In milliseconds of the simulation. */
interface Bound {
  readonly name: string;
  /** When it began; of a hold, when its ttl last did. */
  readonly at: number;
  readonly lasts: number;
  /** When it is over by the engine's clock; null: that is not written, and everybody watches it. */
  readonly ends: number | null;
}

/**
 * Knows by the true time when each hold and each freeze began, and says whether one ended too early or
 * too late. The promise: one that has an end by the engine's clock lasts as long as was said from the
 * engine's answer on which its writing was based, and holds are left alone for a minute more; any other
 * lasts so long from when a claim first sees it. No machine's wall clock has a part in it.
 */
export class Bounds {
  readonly #engine: Engine;
  readonly #record: Record;
  /** By key and fence, by key and slot, or by key. */
  readonly #bounds = new Map<string, Bound>();
  /** When those that hold or wait last changed, by key: who sees the end of a time may have been busy till then. */
  readonly #moved = new Map<string, number>();
  #calmSince = Number.POSITIVE_INFINITY;

  constructor(engine: Engine, record: Record) {
    this.#engine = engine;
    this.#record = record;
  }

  /** There are no more faults. */
  calm(): void {
    this.#calmSince = this.#now;
  }

  swapped(before: KeyDocument | null, after: KeyDocument, writer: Writer): void {
    for (const holder of after.holders) this.#note(before, after, holder, writer);
    for (const freeze of freezesOf(after)) this.#noteFreeze(before, after, freeze, writer);
    if (before === null) return;
    const over = [
      ...before.holders.flatMap((holder) => this.#expired(after, holder, writer)),
      ...freezesOf(before).flatMap((freeze) => this.#thawed(before, after, freeze, writer)),
    ];
    for (const { name, by, due } of over)
      if (this.#now < due - ROUNDING_MS)
        this.#fail(`${name} was taken for over by ${by}, ${due - this.#now} ms too early`);
    const last = over.toSorted((one, other) => other.seenBy - one.seenBy)[0];
    const since = Math.max(this.#calmSince, this.#moved.get(after.key) ?? 0, last?.seenBy ?? 0);
    // Who needs several slots waits for the last of those that hold them.
    if (last !== undefined && this.#now > since + SEEN_MS)
      this.#fail(
        `${last.name} was taken for over by ${last.by} only after ${this.#now - since} ms`,
      );
    this.#move(before, after);
  }

  #move(before: KeyDocument, after: KeyDocument): void {
    const present = ({ holders, line }: KeyDocument) =>
      [...holders, ...line].map(({ id }) => id).join();
    if (present(before) !== present(after)) this.#moved.set(after.key, this.#now);
  }

  get #now(): number {
    return this.#engine.universe.now;
  }

  /** A hold that is new, or whose ttl begins anew. */
  #note(
    before: KeyDocument | null,
    { key }: KeyDocument,
    holder: HolderEntry,
    writer: Writer,
  ): void {
    const { id, fence, owner, ttl, refresh } = holder;
    const known = before?.holders.find((each) => each.id === id);
    if (known === undefined) this.#record.grants.set(`${key} ${fence}`, { owner, at: this.#now });
    if (known !== undefined && known.refresh === refresh && known.ends === holder.ends) return;
    const ends = hasEnd(holder) ? holder.ends : undefined;
    this.#begin(`${key} ${fence}`, `the hold ${fence} of ${owner}`, ttl, ends, writer);
  }

  #noteFreeze(
    before: KeyDocument | null,
    { key }: KeyDocument,
    freeze: Frozen,
    writer: Writer,
  ): void {
    const { since, until, slot, ends } = freeze;
    if (before !== null && freezesOf(before).some((each) => isSame(each, freeze))) return;
    if (until === null) return;
    const lasts = Date.parse(until) - Date.parse(since);
    this.#begin(`${key} slot ${slot}`, `the freeze of ${key} (${slot})`, lasts, ends, writer);
  }

  #begin(
    place: string,
    name: string,
    lasts: number,
    end: string | undefined,
    { basedOn }: Writer,
  ): void {
    const { time, clock } = this.#engine;
    const at = this.#now;
    const ends = end === undefined ? null : at + Date.parse(end) - time;
    this.#bounds.set(place, { name, at, lasts, ends });
    if (ends === null) return;
    const least = basedOn + lasts - (clock?.precision ?? 0) - ROUNDING_MS;
    if (ends < least) this.#fail(`${name} ends ${least - ends} ms too early`);
    if (ends > at + lasts + ROUNDING_MS)
      this.#fail(`${name} ends ${ends - at - lasts} ms too late`);
  }

  /** A hold that somebody has taken because its time is over. */
  #expired(
    { key, taken, holders }: KeyDocument,
    { id, fence }: HolderEntry,
    { hears }: Writer,
  ): Over[] {
    if (holders.some((each) => each.id === id)) return [];
    const why = taken.find((each) => each.fence === fence);
    const bound = this.#forget(`${key} ${fence}`);
    if (why?.how !== "LOCK_EXPIRED" || bound === undefined) return [];
    return [this.#over(bound, why.by, hears ? TIMING.skew : null)];
  }

  /** A freeze is gone, or somebody was served in spite of it: then its time has to be over. */
  #thawed(before: KeyDocument, after: KeyDocument, freeze: Frozen, { hears }: Writer): Over[] {
    const { slot } = freeze;
    const now = freezesOf(after).find((each) => each.slot === slot);
    const served = after.holders.find(
      (holder) =>
        !before.holders.some(({ id }) => id === holder.id) &&
        (slot === "key" || slotsOf(holder).includes(slot)),
    );
    const isReplaced = now !== undefined && !isSame(now, freeze);
    if (isReplaced || (now !== undefined && served === undefined)) return [];
    const bound = this.#forget(`${after.key} slot ${slot}`);
    const by = served?.owner ?? after.thawed?.by ?? "";
    return bound === undefined ? [] : [this.#over(bound, by, hears ? 0 : null)];
  }

  #forget(place: string): Bound | undefined {
    const bound = this.#bounds.get(place);
    this.#bounds.delete(place);
    return bound;
  }

  /**
   * `by` has seen that something is over. `more`: how much longer those leave it alone who know the
   * engine's clock; null: it does not.
   */
  #over({ name, at, lasts, ends }: Bound, by: string, more: number | null): Over {
    const began = this.#record.began.get(by) ?? this.#now;
    if (ends === null || more === null)
      return { name, by, due: at + lasts, seenBy: Math.max(at, began) + lasts };
    const due = more === 0 ? ends : Math.max(ends + more, at + lasts);
    return { name, by, due, seenBy: Math.max(ends + more, began) };
  }

  #fail(sentence: string): void {
    this.#record.untimely.push(sentence);
  }
}

/** Something that was taken for over: the earliest time for it, and when who waits has seen it at the latest. */
interface Over {
  readonly name: string;
  readonly by: string;
  readonly due: number;
  readonly seenBy: number;
}

type Frozen = Pick<FrozenSlot, "since" | "until" | "ends"> & { readonly slot: number | "key" };

function freezesOf({ freeze, freezeEnds, frozenSlots = [] }: KeyDocument): Frozen[] {
  const whole = freeze === null ? [] : [{ ...freeze, ends: freezeEnds, slot: "key" as const }];
  return [...whole, ...frozenSlots];
}

function isSame(one: Frozen, other: Frozen): boolean {
  return one.slot === other.slot && one.since === other.since && one.until === other.until;
}
