/**
 * Locks on the engines that are installed here, each as a real server on this machine: what a hand-off
 * and an acquire with its release cost, beside what the engine itself needs for a write and for telling
 * another process of it, beside our own server, a poll of a second, and `etcdctl lock`.
 *
 * `node bench/engines.ts [ROUNDS]`
 */
import { benchHandoffs } from "./engines/handoff.ts";
import { benchLines } from "./engines/line.ts";
import { ROWS } from "./engines/rows.ts";
import { benchTrips } from "./engines/trips.ts";

const ROUNDS = Number(process.argv[2] ?? 3);

for (const { name, isInstalled } of ROWS) if (!isInstalled) console.log(`${name} is not installed`);
const running = await Promise.all(
  ROWS.filter(({ isInstalled }) => isInstalled).map(async (row) => ({
    ...row,
    engine: await row.start(),
  })),
);
try {
  await benchTrips(running, ROUNDS);
  await benchHandoffs(running, ROUNDS);
  await benchLines(running, ROUNDS);
} finally {
  await Promise.all(running.map(({ engine }) => engine.stop()));
}
