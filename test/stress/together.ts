import { setImmediate as immediate } from "node:timers/promises";
import type { Store } from "../../src/lock/store.ts";
import { claimAll } from "../../src/stores/several.ts";
import { type HistoryWriter, now } from "../history/event.ts";

export interface TogetherOptions {
  readonly name: string;
  /** In the order in which this process names them. */
  readonly keys: readonly string[];
  readonly rounds: number;
  /** Milliseconds; left out: the store's own default. */
  readonly deadAfter?: number;
  readonly history: HistoryWriter;
}

/**
 * Claims several keys together and releases them, again and again, and writes a claim of each key into
 * the history. Returns its rounds.
 */
export async function takeTogether(store: Store, options: TogetherOptions): Promise<number> {
  const { name, keys, rounds, deadAfter, history } = options;
  const owner = { id: name, metadata: {} };
  const extras = deadAfter === undefined ? {} : { deadAfter };
  const requests = keys.map((key) => ({ key, owner, ...extras }));
  for (let round = 0; round < rounds; round++) {
    const base = (key: string) => ({ process: name, key, claim: `${name}#${round} ${key}` });
    for (const key of keys) history.write({ ...base(key), at: now(), event: "claim", slots: 1 });
    const holding = await claimAll(store, requests);
    for (const { key, fence } of holding.leases)
      history.write({ ...base(key), at: now(), event: "granted", fence });
    // A turn of the event loop and of the other process in between: the section has a length.
    await immediate();
    for (const { key, fence } of holding.leases)
      history.write({ ...base(key), at: now(), event: "release", fence });
    const outcome = await holding.release();
    for (const { key, fence } of holding.leases)
      history.write({ ...base(key), at: now(), event: "released", fence, outcome });
    if (outcome !== "released") throw new Error(`round ${round} of ${name}: ${outcome}`);
  }
  return rounds;
}
