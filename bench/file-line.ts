import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Store } from "../src/lock/store.ts";
import { openStore } from "../src/stores/open.ts";
import { quantile } from "./lib/measure.ts";
import { Participants } from "./lib/participants.ts";
import { printAim, printTable, ratio } from "./lib/report.ts";
import { now } from "./lib/turn.ts";

const AIM = 1.5;
const LENGTHS = [1, 10, 100];
/** Every length does as many hand-offs. */
const HANDOFFS_PER_ROUND = 100;
/** A system may allow no more than 128 watching processes to a user. */
const PROCESSES = 10;
const KEY = "line";

/** What a hand-off costs when so many stand in line: each takes the lock and lets it go at once. */
export async function benchLine(directory: string, rounds: number): Promise<void> {
  printLine("A hand-off with so many in line", await lineCosts(join(directory, "line"), rounds));
}

/** Milliseconds of a hand-off by the length of the line, in any store. */
export async function lineCosts(url: string, rounds: number): Promise<Map<number, number>> {
  const line = await openLine(url);
  const costs = new Map(LENGTHS.map((length) => [length, [] as number[]]));
  for (let round = -1; round < rounds; round++) {
    for (const length of LENGTHS) {
      const cost = await line.handOff(length);
      if (round >= 0) costs.get(length)?.push(cost);
    }
  }
  await line.close();
  return new Map(LENGTHS.map((length) => [length, quantile(costs.get(length) ?? [], 0.5)]));
}

/** Processes that stand in line for a key of a store, and who holds it before them. */
export async function openLine(url: string) {
  const store = await openStore(url, { fsync: false });
  const participants = await Participants.start(PROCESSES, url, KEY);
  return {
    /** Milliseconds of one of a hundred hand-offs, in lines of that length. */
    async handOff(length: number): Promise<number> {
      const costs: number[] = [];
      for (let chain = 0; chain < HANDOFFS_PER_ROUND / length; chain++) {
        costs.push(await chainOf(length, chain, store, participants));
      }
      return quantile(costs, 0.5);
    },
    async close(): Promise<void> {
      await participants.stop();
      await store.close();
    },
  };
}

export function printLine(title: string, costs: ReadonlyMap<number, number>): void {
  const median = (length: number) => costs.get(length) ?? Number.NaN;
  printTable(
    `${title}, milliseconds`,
    ["waiters", "per hand-off", "to 1 waiter"],
    LENGTHS.map((length) => [
      String(length),
      median(length).toFixed(2),
      ratio(median(length) / median(1)),
    ]),
  );
  const worst = Math.max(...LENGTHS.map((length) => median(length) / median(1)));
  printAim(`flat within ${AIM}x`, ratio(worst), worst <= AIM);
}

/** `first` is who stands first: taking turns, so that a short line is no warmer than a long one. */
async function chainOf(
  length: number,
  first: number,
  store: Store,
  participants: Participants,
): Promise<number> {
  const owner = { id: "starter", metadata: {} };
  const holding = await store.claim({ key: KEY, owner });
  const claims = Array.from({ length: Math.min(length, PROCESSES) }, (_, index) =>
    participants.tell(first + index, { kind: "queue", claims: Math.ceil(length / PROCESSES) }),
  );
  while ((await store.inspect(KEY)).waiting < length) await delay(5);
  // The last one may have its ticket and not yet its watch.
  await delay(20);
  const start = now();
  await holding.release();
  const turns = (await Promise.all(claims)).flat();
  return (Math.max(...turns.map((turn) => turn.granted)) - start) / length;
}
