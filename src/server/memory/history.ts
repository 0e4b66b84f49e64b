import { type Hold, type HoldEnd, type Statistics, usualOf } from "../../lock/history.ts";
import { resourcesOf } from "../../lock/resources.ts";
import type { PastFreeze } from "../../lock/status.ts";
import type { Claim } from "../table/claim.ts";
import type { EndReason } from "../table/ends.ts";
import { sessionName } from "../table/names.ts";

/** How many holds of one key are told where the question names no number. Every key keeps that many. */
const PER_KEY = 50;
/** How many holds of one key are remembered at most, as long as all keys together have few. */
export const HOLDS_OF_KEY = 1_000;
/** How many holds all keys together may have while one of them keeps more than its 50. */
const ROOMY = 10_000;
/** How many holds are remembered of all keys together. */
const TOTAL = 20_000;

/** How many freezes that are over are remembered, of all keys together. */
const FREEZES = 1_000;

const ENDS: Record<EndReason, HoldEnd> = {
  released: "released",
  withdrawn: "released",
  hangup: "dead",
  expired: "expired",
  broken: "broken",
  shutdown: "released",
  superseded: "released",
  shared: "released",
};

/** Makes what history keeps of a claim that was held. Times are by the wall clock. */
export function holdOf(claim: Claim, reason: EndReason, now: number): Hold {
  const { introduction, session, id } = claim.party;
  const { breaking } = claim;
  const resources = resourcesOf(claim.entry.resources, claim.slots);
  const nameless = session === null ? `connection-${id}` : sessionName(session);
  return {
    owner: introduction?.owner.id ?? nameless,
    since: new Date(claim.since).toISOString(),
    waited: claim.waited,
    held: Math.max(0, now - claim.since),
    fence: claim.fence,
    slot: claim.slot,
    ...(claim.several === null ? {} : { slots: claim.several }),
    ...(resources === null ? {} : { resources }),
    end: ENDS[reason],
    metadata: introduction?.owner.metadata ?? {},
    ...(breaking === null ? {} : { reason: breaking.reason }),
    ...(breaking === null || breaking.by === null ? {} : { by: breaking.by }),
  };
}

/** The last holds of every key, in memory, since every look at a key asks for them. Keys are as on the wire. */
export class History {
  /** Holds by key, from the oldest to the newest. The key that was held last stands at the end. */
  readonly #byKey = new Map<string, Hold[]>();
  /** How long holds of a key usually take, until the next one ends. */
  readonly #usual = new Map<string, Statistics | null>();
  readonly #freezes: { readonly key: string; readonly freeze: PastFreeze }[] = [];
  #total = 0;

  add(key: string, hold: Hold): void {
    const holds = this.#byKey.get(key) ?? [];
    this.#byKey.delete(key);
    this.#byKey.set(key, holds);
    holds.push(hold);
    this.#usual.delete(key);
    this.#total += 1;
    const limit = this.#total > ROOMY ? PER_KEY : HOLDS_OF_KEY;
    if (holds.length > limit) {
      holds.shift();
      this.#total -= 1;
    }
    while (this.#total > TOTAL) this.#forgetOldestKey();
  }

  addFreeze(key: string, freeze: PastFreeze): void {
    this.#freezes.push({ key, freeze });
    if (this.#freezes.length > FREEZES) this.#freezes.shift();
  }

  /** Freezes of a key that are over, the newest first. */
  freezesOf(key: string, limit: number = PER_KEY): PastFreeze[] {
    const found = this.#freezes.filter((one) => one.key === key).slice(-Math.max(1, limit));
    return found.map(({ freeze }) => freeze).reverse();
  }

  /** The newest first. */
  of(key: string, limit: number = PER_KEY): Hold[] {
    return (this.#byKey.get(key) ?? []).slice(-Math.max(1, limit)).reverse();
  }

  /** How long its released holds took; null where there are too few to tell. */
  usualOf(key: string): Statistics | null {
    const known = this.#usual.get(key);
    if (known !== undefined || !this.#byKey.has(key)) return known ?? null;
    const usual = usualOf(this.of(key));
    this.#usual.set(key, usual);
    return usual;
  }

  /** Keys by their last hold, the newest first. */
  *recent(): Generator<{ readonly key: string; readonly last: Hold }> {
    for (const [key, holds] of [...this.#byKey].reverse()) {
      const last = holds.at(-1);
      if (last !== undefined) yield { key, last };
    }
  }

  #forgetOldestKey(): void {
    const [key, holds] = this.#byKey.entries().next().value as [string, Hold[]];
    this.#byKey.delete(key);
    this.#usual.delete(key);
    this.#total -= holds.length;
  }
}
