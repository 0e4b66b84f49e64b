import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runStress } from "../test/stress/run.ts";
import { countIn } from "./options.ts";

const USAGE = `npm run stress -- [options]
  --acquisitions N   how many in all (default 1000000)
  --minutes N        end after so many minutes, whatever was done; 0: never (default 0)
  --processes N      how many at once (default 8)
  --slots N          how many may hold the key at once (default 1)
  --kill-every N     kill -9 a process about every N acquisitions; 0: never (default 1000)
  --store DIR        where the store and the history go (default: a temporary directory)
  --seed N           repeats the choices of another run
  --fsync            sync lock files to the disk
  --stuck-after N    seconds without a sign of a process that count as stuck (default 30)
  --apart            a store for each process, to see the checker find what no lock prevents
`;

const PROGRESS_MS = 5_000;

const { values } = parseArgs({
  options: {
    acquisitions: { type: "string", default: "1000000" },
    minutes: { type: "string", default: "0" },
    processes: { type: "string", default: "8" },
    slots: { type: "string", default: "1" },
    "kill-every": { type: "string", default: "1000" },
    store: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    fsync: { type: "boolean", default: false },
    "stuck-after": { type: "string", default: "30" },
    apart: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const count = countIn(values);
const directory = values.store ?? mkdtempSync(join(tmpdir(), "holdfast-stress-"));
const say = (line: string) => process.stdout.write(`${line}\n`);
const start = performance.now();
const rate = (acquisitions: number, seconds: number) => (acquisitions / seconds).toFixed(0);

say(`seed ${values.seed}, in ${directory}`);
let said = start;
const figures = await runStress(
  {
    acquisitions: count("acquisitions", 1),
    minutes: count("minutes", 0),
    processes: count("processes", 1),
    slots: count("slots", 1),
    killEvery: count("kill-every", 0),
    seed: count("seed", 0),
    fsync: values.fsync,
    apart: values.apart,
    directory,
    stuckAfter: count("stuck-after", 1) * 1_000,
  },
  (acquisitions, kills, overlaps) => {
    if (performance.now() - said < PROGRESS_MS) return;
    said = performance.now();
    const seconds = (said - start) / 1_000;
    say(
      `${seconds.toFixed(0)} s: ${acquisitions} acquisitions (${rate(acquisitions, seconds)}/s), ${kills} kills, ${overlaps} overlaps`,
    );
  },
);

for (const overlap of figures.overlaps) say(`OVERLAP ${overlap}`);
for (const sentence of figures.stuck) say(`STUCK ${sentence}`);
for (const fault of figures.faults) say(`FAULT ${fault}`);
say(`acquisitions ${figures.acquisitions}`);
say(`kills        ${figures.kills}`);
say(`overlaps     ${figures.overlaps.length}`);
say(`stuck        ${figures.stuck.length}`);
say(`faults       ${figures.faults.length}`);
say(
  `wait         median ${figures.medianWait.toFixed(2)} ms, max ${figures.maxWait.toFixed(1)} ms`,
);
say(
  `rate         ${rate(figures.acquisitions, figures.seconds)}/s over ${figures.seconds.toFixed(1)} s`,
);
const failed = figures.overlaps.length + figures.stuck.length + figures.faults.length > 0;
if (failed) say(`kept for a look: ${directory}`);
else if (values.store === undefined) rmSync(directory, { recursive: true, force: true });
process.exitCode = failed ? 1 : 0;
