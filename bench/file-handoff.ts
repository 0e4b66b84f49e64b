import { join } from "node:path";
import { quantile } from "./lib/measure.ts";
import { Participants } from "./lib/participants.ts";
import { printAim, printTable, ratio } from "./lib/report.ts";
import type { Turn } from "./lib/turn.ts";

const AIM_MS = 5;
/** As the specs of lock files have it. */
const POLL_MS = 100;
const EVENT_TURNS = 40;
const POLL_TURNS = 6;

/** From the moment one process begins to release to the moment another one has the lock. */
export async function benchHandoff(directory: string, rounds: number): Promise<void> {
  const woken: number[] = [];
  const polled: number[] = [];
  const event = await Participants.start(2, join(directory, "event"), "handoff");
  const poll = await Participants.start(2, join(directory, "poll"), "handoff");
  for (let round = 0; round < rounds; round++) {
    woken.push(...(await alternate(event, EVENT_TURNS, null)));
    polled.push(...(await alternate(poll, POLL_TURNS, POLL_MS)));
  }
  await event.stop();
  await poll.stop();
  const row = (name: string, values: number[]) => [
    name,
    quantile(values, 0.5).toFixed(2),
    quantile(values, 0.99).toFixed(2),
    String(values.length),
  ];
  printTable(
    "Hand-off from one process to the next, milliseconds",
    ["", "median", "99 %", "hand-offs"],
    [row("woken by an event", woken), row(`a poll of ${POLL_MS} ms`, polled)],
  );
  const median = quantile(woken, 0.5);
  printAim(`${AIM_MS} ms median`, `${median.toFixed(2)} ms`, median <= AIM_MS);
  process.stdout.write(`  a poll takes ${ratio(quantile(polled, 0.5) / median)} as long\n`);
}

/** Milliseconds of each hand-off between two processes that take turns. */
export async function alternate(
  participants: Participants,
  rounds: number,
  pollMs: number | null,
): Promise<number[]> {
  const task = { kind: "alternate" as const, rounds, pollMs };
  return handoffs(await Promise.all([participants.tell(0, task), participants.tell(1, task)]));
}

/** Milliseconds from the moment one process begins to let go to the moment at which another has it. */
export function handoffs(all: readonly (readonly Turn[])[]): number[] {
  const turns = all.flat().sort((a, b) => a.granted - b.granted);
  return turns.slice(1).flatMap((turn, index) => {
    const before = turns[index] as Turn;
    return before.pid === turn.pid ? [] : [turn.granted - before.released];
  });
}
