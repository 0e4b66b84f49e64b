import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { PLACES } from "../test/prove/places.ts";
import { prove } from "../test/prove/run.ts";
import type { Workload } from "../test/prove/worker.ts";
import { countIn } from "./options.ts";

const USAGE = `npm run prove -- --store S [options]
  --store S          ${Object.keys(PLACES).join(", ")}
  --workload W       lock, set or fenced-set (default lock)
  --operations N     how many in all (default 10000)
  --minutes N        end after so many minutes, whatever was done (default 30)
  --processes N      how many at once (default 6)
  --lanes N          claims that each process has at once (default 1)
  --keys N           how many keys (default 2)
  --slots N          how many may hold a key at once (default 1)
  --sharing          claims of many weights and priorities, and some that are not ready at once
  --fault-every N    milliseconds between two faults; 0: none (default 400)
  --only K,K         the kinds of faults (default all): kill, stop, clock, cut, slow, restart
  --hold N           milliseconds that a hold lasts at the mean (default 0: mostly none)
  --freeze-every N   holds of a set, of which one is frozen in its midst (default 150)
  --seed N           repeats the choices of another run
`;

const { values } = parseArgs({
  options: {
    store: { type: "string", default: "" },
    workload: { type: "string", default: "lock" },
    operations: { type: "string", default: "10000" },
    minutes: { type: "string", default: "30" },
    processes: { type: "string", default: "6" },
    lanes: { type: "string", default: "1" },
    keys: { type: "string", default: "2" },
    slots: { type: "string", default: "1" },
    sharing: { type: "boolean", default: false },
    "fault-every": { type: "string", default: "400" },
    only: { type: "string" },
    hold: { type: "string", default: "0" },
    "freeze-every": { type: "string", default: "150" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", default: false },
  },
});

const count = countIn(values);
const PROGRESS_MS = 30_000;
const say = (line: string) => process.stdout.write(`${line}\n`);
const open = PLACES[values.store];
if (values.help || open === undefined || !["lock", "set", "fenced-set"].includes(values.workload)) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}

const directory = mkdtempSync(join(tmpdir(), "holdfast-prove-"));
const place = await open(directory);
if (place === null) {
  say(`The engine of ${values.store} is not installed here.`);
  process.exit(2);
}
say(`${values.store}, ${values.workload}, seed ${values.seed}, in ${directory}`);
let said = performance.now();
const figures = await prove(
  {
    place,
    directory,
    workload: values.workload as Workload,
    operations: count("operations", 1),
    limit: count("minutes", 1) * 60_000,
    processes: count("processes", 1),
    lanes: count("lanes", 1),
    keys: count("keys", 1),
    slots: count("slots", 1),
    sharing: values.sharing,
    faultEvery: count("fault-every", 0),
    only: values.only?.split(",") ?? null,
    holdFor: count("hold", 0),
    freezeEvery: count("freeze-every", 1),
    seed: count("seed", 0),
  },
  (operations, faults) => {
    if (performance.now() - said < PROGRESS_MS) return;
    said = performance.now();
    say(`${operations} operations, ${faults} faults`);
  },
);
await place.close();

const { verdict, operations, seconds, faults } = figures;
for (const { kind, sentence } of verdict.faults.slice(0, 20)) say(`ILLEGAL ${kind}: ${sentence}`);
for (const sentence of verdict.unknown.slice(0, 20)) say(`UNKNOWN ${sentence}`);
for (const sentence of figures.failures) say(`FAILED ${sentence}`);
say(
  `operations ${operations} in ${seconds.toFixed(1)} s, claims ${verdict.claims}, grants ${verdict.grants}`,
);
say(
  `faults     ${Object.entries(faults)
    .map(([kind, times]) => `${kind} ${times}`)
    .join(", ")}`,
);
say(`killed     ${figures.killed.holding} that held, ${figures.killed.waiting} that waited`);
say(
  `memory     ${(process.resourceUsage().maxRSS / 1_024).toFixed(0)} MB at most, with the checker`,
);
say(`illegal    ${verdict.faults.length}`);
say(`unknown    ${verdict.unknown.length}`);
if (values.workload !== "lock")
  say(
    `set        ${figures.writes} writes, ${figures.refused} refused, ${figures.destroyed.length} destroyed`,
  );
// The lock alone cannot stop a holder that was frozen in the midst of its work; the fence can.
const isSetBroken = values.workload === "fenced-set" && figures.destroyed.length > 0;
const isLegal = verdict.faults.length + verdict.unknown.length + figures.failures.length === 0;
const isProven = isLegal && !isSetBroken;
if (isProven) rmSync(directory, { recursive: true, force: true });
else say(`kept for a look: ${figures.history}`);
process.exitCode = isProven ? 0 : 1;
