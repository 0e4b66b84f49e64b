import type { Hold, HoldEnd } from "../../lock/history.ts";
import type { Claim, EndReason } from "../table/claim.ts";
import { sessionName } from "../table/names.ts";

/** Of one key the newest so many, of all keys together at most so many. */
const PER_KEY = 50;
const TOTAL = 20_000;

const ENDS: Record<EndReason, HoldEnd> = {
  released: "released",
  withdrawn: "released",
  hangup: "dead",
  expired: "expired",
  broken: "broken",
  shutdown: "released",
};

/** What history keeps of a claim that was held. Times by the wall clock. */
export function holdOf(claim: Claim, reason: EndReason, now: number): Hold {
  const { introduction, session, id } = claim.party;
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
  };
}

/** The last holds of every key, in memory: asked for with every look at a key. Keys as on the wire. */
export class History {
  /** By key, the one that was used last at the end; its holds from the oldest to the newest. */
  readonly #byKey = new Map<string, Hold[]>();
  #total = 0;

  add(key: string, hold: Hold): void {
    const holds = this.#byKey.get(key) ?? [];
    this.#byKey.delete(key);
    this.#byKey.set(key, holds);
    holds.push(hold);
    this.#total += 1;
    if (holds.length > PER_KEY) {
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
