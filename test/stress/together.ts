import { setImmediate as immediate } from "node:timers/promises";
import type { Store } from "../../src/lock/store.ts";
import { claimAll } from "../../src/stores/several.ts";
import type { Entry, Journal } from "./journal.ts";
import { Referee } from "./referee.ts";

export interface TogetherOptions {
  readonly name: string;
  /** In the order in which this process names them. */
  readonly keys: readonly string[];
  readonly rounds: number;
  /** Milliseconds; left out: the store's own default. */
  readonly deadAfter?: number;
  readonly journal: Journal;
}

/** Claims several keys together and releases them, again and again. Returns its rounds. */
export async function takeTogether(store: Store, options: TogetherOptions): Promise<number> {
  const { name, keys, rounds, deadAfter, journal } = options;
  const owner = { id: name, metadata: {} };
  const extras = deadAfter === undefined ? {} : { deadAfter };
  const requests = keys.map((key) => ({ key, owner, ...extras }));
  for (let round = 0; round < rounds; round++) {
    const holding = await claimAll(store, requests);
    const sections = holding.leases.map(({ key, fence }) => [`${name}:${key}`, fence] as const);
    for (const [section, fence] of sections) journal.enter(section, fence, 0);
    // A turn of the event loop and of the other process in between: the section has a length.
    await immediate();
    for (const [section, fence] of sections) journal.leave(section, fence);
    const outcome = await holding.release();
    if (outcome !== "released") throw new Error(`round ${round} of ${name}: ${outcome}`);
  }
  return rounds;
}

/** What a referee says of one of the keys that were taken together. */
export function judgeKey(entries: readonly Entry[], key: string): Referee {
  const referee = new Referee(1);
  for (const entry of entries) if (entry.name.endsWith(`:${key}`)) referee.judge(entry);
  return referee;
}
