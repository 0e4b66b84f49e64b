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
/** How soon a claim that waits sees that a time is over, when all is well: a sleep and its retries. */
const SEEN_MS = 60_000;

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
  #calmSince = Number.POSITIVE_INFINITY;

  constructor(engine: Engine, record: Record) {
    this.#engine = engine;
    this.#record = record;
  }

  /** There are no more faults. */
  calm(): void {
    this.#calmSince = this.#now;
  }

  swapped(before: KeyDocument | null, after: KeyDocument, basedOn: number): void {
    for (const holder of after.holders) this.#note(before, after, holder, basedOn);
    for (const freeze of freezesOf(after)) this.#noteFreeze(before, after, freeze, basedOn);
    for (const holder of before?.holders ?? []) this.#follow(after, holder);
    for (const freeze of before === null ? [] : freezesOf(before))
      this.#thaw(before, after, freeze);
  }

  get #now(): number {
    return this.#engine.universe.now;
  }

  /** A hold that is new, or whose ttl begins anew. */
  #note(
    before: KeyDocument | null,
    { key }: KeyDocument,
    holder: HolderEntry,
    basedOn: number,
  ): void {
    const { id, fence, owner, ttl, refresh } = holder;
    const known = before?.holders.find((each) => each.id === id);
    if (known === undefined) this.#record.grants.set(`${key} ${fence}`, { owner, at: this.#now });
    if (known !== undefined && known.refresh === refresh && known.ends === holder.ends) return;
    const ends = hasEnd(holder) ? holder.ends : undefined;
    this.#begin(`${key} ${fence}`, `the hold ${fence} of ${owner}`, ttl, ends, basedOn);
  }

  #noteFreeze(
    before: KeyDocument | null,
    { key }: KeyDocument,
    freeze: Frozen,
    basedOn: number,
  ): void {
    const { since, until, slot, ends } = freeze;
    if (before !== null && freezesOf(before).some((each) => isSame(each, freeze))) return;
    if (until === null) return;
    const lasts = Date.parse(until) - Date.parse(since);
    this.#begin(`${key} slot ${slot}`, `the freeze of ${key} (${slot})`, lasts, ends, basedOn);
  }

  #begin(
    place: string,
    name: string,
    lasts: number,
    end: string | undefined,
    basedOn: number,
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
  #follow({ key, taken, holders }: KeyDocument, { id, fence }: HolderEntry): void {
    if (holders.some((each) => each.id === id)) return;
    const bound = this.#bounds.get(`${key} ${fence}`);
    this.#bounds.delete(`${key} ${fence}`);
    const why = taken.find((each) => each.fence === fence);
    if (why?.how === "LOCK_EXPIRED" && bound !== undefined) this.#over(bound, why.by, TIMING.skew);
  }

  /** A freeze is gone, or somebody was served in spite of it: then its time has to be over. */
  #thaw(before: KeyDocument, after: KeyDocument, freeze: Frozen): void {
    const { key } = after;
    const { slot } = freeze;
    const now = freezesOf(after).find((each) => each.slot === slot);
    const served = after.holders.find(
      (holder) =>
        !before.holders.some(({ id }) => id === holder.id) &&
        (slot === "key" || slotsOf(holder).includes(slot)),
    );
    const bound = this.#bounds.get(`${key} slot ${slot}`);
    const isReplaced = now !== undefined && !isSame(now, freeze);
    if (bound === undefined || isReplaced || (now !== undefined && served === undefined)) return;
    const by = served?.owner ?? after.thawed?.by ?? "";
    if (now === undefined) this.#bounds.delete(`${key} slot ${slot}`);
    this.#over(bound, by, 0);
  }

  /** `by` has seen that something is over. `more`: how much longer everybody leaves it alone. */
  #over({ name, at, lasts, ends }: Bound, by: string, more: number): void {
    const now = this.#now;
    const began = this.#record.began.get(by) ?? now;
    const due = ends === null ? at + lasts : ends + more;
    if (now < due - ROUNDING_MS)
      this.#fail(`${name} was taken for over by ${by}, ${due - now} ms too early`);
    const seenBy = ends === null ? Math.max(at, began) + lasts : Math.max(due, began);
    const late = now - Math.max(seenBy, this.#calmSince) - SEEN_MS;
    if (late > 0) this.#fail(`${name} was taken for over by ${by}, ${late} ms too late`);
  }

  #fail(sentence: string): void {
    this.#engine.universe.fail(new Error(`bound: ${sentence}`));
  }
}

type Frozen = Pick<FrozenSlot, "since" | "until" | "ends"> & { readonly slot: number | "key" };

function freezesOf({ freeze, freezeEnds, frozenSlots = [] }: KeyDocument): Frozen[] {
  const whole = freeze === null ? [] : [{ ...freeze, ends: freezeEnds, slot: "key" as const }];
  return [...whole, ...frozenSlots];
}

function isSame(one: Frozen, other: Frozen): boolean {
  return one.slot === other.slot && one.since === other.since && one.until === other.until;
}
