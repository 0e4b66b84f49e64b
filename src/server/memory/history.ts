import type { Hold, HoldEnd } from "../../lock/history.ts";
import type { Claim, EndReason } from "../table/claim.ts";
import { sessionName } from "../table/names.ts";

/** How many holds of one key are told where the question names no number. Every key keeps that many. */
const PER_KEY = 50;
/** How many holds of one key are remembered at most, as long as all keys together have few. */
export const HOLDS_OF_KEY = 1_000;
/** How many holds all keys together may have while one of them keeps more than its 50. */
const ROOMY = 10_000;
/** How many holds are remembered of all keys together. */
const TOTAL = 20_000;

const ENDS: Record<EndReason, HoldEnd> = {
  released: "released",
  withdrawn: "released",
  hangup: "dead",
  expired: "expired",
  broken: "broken",
  shutdown: "released",
};

/** Makes what history keeps of a claim that was held. Times are by the wall clock. */
export function holdOf(claim: Claim, reason: EndReason, now: number): Hold {
  const { introduction, session, id } = claim.party;
  const { breaking } = claim;
  const nameless = session === null ? `connection-${id}` : sessionName(session);
  return {
    owner: introduction?.owner.id ?? nameless,
    since: new Date(claim.since).toISOString(),
    waited: claim.waited,
    held: Math.max(0, now - claim.since),
    fence: claim.fence,
    slot: claim.slot,
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
  #total = 0;

  add(key: string, hold: Hold): void {
    const holds = this.#byKey.get(key) ?? [];
    this.#byKey.delete(key);
    this.#byKey.set(key, holds);
    holds.push(hold);
    this.#total += 1;
    const limit = this.#total > ROOMY ? PER_KEY : HOLDS_OF_KEY;
    if (holds.length > limit) {
      holds.shift();
      this.#total -= 1;
    }
    while (this.#total > TOTAL) this.#forgetOldestKey();
  }

  /** The newest first. */
  of(key: string, limit: number = PER_KEY): Hold[] {
    return (this.#byKey.get(key) ?? []).slice(-Math.max(1, limit)).reverse();
  }

  #forgetOldestKey(): void {
    const [key, holds] = this.#byKey.entries().next().value as [string, Hold[]];
    this.#byKey.delete(key);
    this.#total -= holds.length;
  }
}
