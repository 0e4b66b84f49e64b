import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../src/stores/open.ts";
import { bareCalls, properLockfile, takeAndRelease } from "./aims/stores.ts";
import { interleave, type Variant } from "./lib/measure.ts";
import { printAim, printTable, ratio } from "./lib/report.ts";

const TIMES = 40;

const PLAIN = "holdfast, fsync off";
const SYNCED = "holdfast, fsync on";
const RIVAL = "proper-lockfile";
const RIVAL_SYNC = "proper-lockfile, its synchronous form";
const CALLS = "open O_EXCL, write, close, unlink";
const CALLS_SYNCED = "the same with fsync";

/** Taking and letting go a lock that nobody else wants. */
export async function benchUncontended(directory: string, rounds: number): Promise<void> {
  const plain = await openStore(join(directory, "plain"), { fsync: false });
  const synced = await openStore(join(directory, "synced"), { fsync: true });
  const others = join(directory, "others");
  mkdirSync(others);
  const file = join(others, "file");
  const bare = join(others, "bare");
  writeFileSync(file, "");
  const variants: Variant[] = [
    { name: PLAIN, run: (times) => repeated(times, () => takeAndRelease(plain)) },
    { name: SYNCED, run: (times) => repeated(times, () => takeAndRelease(synced)) },
    {
      name: RIVAL,
      run: (times) => repeated(times, async () => (await properLockfile.lock(file))()),
    },
    {
      name: RIVAL_SYNC,
      run: (times) => {
        for (let i = 0; i < times; i++) properLockfile.lockSync(file)();
      },
    },
    { name: CALLS, run: (times) => repeated(times, async () => bareCalls(bare, false)) },
    { name: CALLS_SYNCED, run: (times) => repeated(times, async () => bareCalls(bare, true)) },
  ];
  const costs = await interleave(variants, rounds, TIMES);
  await plain.close();
  await synced.close();

  const cost = (name: string) => costs.get(name) ?? Number.NaN;
  const against = (name: string, other: string) => ratio(cost(other) / cost(name));
  printTable(
    "Uncontended acquire and release",
    ["", "us", "speed of proper-lockfile", "speed of the bare calls"],
    variants.map(({ name }) => [
      name,
      cost(name).toFixed(0),
      against(name, RIVAL),
      against(name, name === SYNCED || name === CALLS_SYNCED ? CALLS_SYNCED : CALLS),
    ]),
  );
  printAim(
    "2x proper-lockfile with fsync off",
    against(PLAIN, RIVAL),
    cost(RIVAL) / cost(PLAIN) >= 2,
  );
  printAim(
    "1x proper-lockfile with fsync on",
    against(SYNCED, RIVAL),
    cost(RIVAL) / cost(SYNCED) >= 1,
  );
}

async function repeated(times: number, work: () => Promise<void>): Promise<void> {
  for (let i = 0; i < times; i++) await work();
}
