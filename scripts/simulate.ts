import { parseArgs } from "node:util";
import { simulate } from "../test/simulation/run.ts";
import { WORLDS } from "../test/simulation/worlds/index.ts";

const USAGE = `npm run simulate -- [options]
  --world W     ${Object.keys(WORLDS).join(" or ")} (default: both)
  --seeds N     how many seeds of each world (default 100)
  --from N      the first seed (default 1)
  --trace       prints everything that happens, one line each
  --json        prints the figures as JSON, and a line of JSON for each seed
  --stop        ends at the first seed that fails
`;

const { values } = parseArgs({
  options: {
    world: { type: "string" },
    seeds: { type: "string", default: "100" },
    from: { type: "string", default: "1" },
    trace: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    stop: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

// The simulation puts its own clocks in the place of the real ones.
const cpu = process.cpuUsage.bind(process);
const say = (line: string) => process.stdout.write(`${line}\n`);
const worlds = values.world === undefined ? Object.keys(WORLDS) : [values.world];
if (values.help || worlds.some((name) => WORLDS[name] === undefined)) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
const seeds = count("seeds", 1);
const from = count("from", 0);
for (const name of worlds) await run(name);

/** Runs the seeds of one world, and prints what they have shown. */
async function run(name: string): Promise<void> {
  const build = WORLDS[name] as (typeof WORLDS)[string];
  const began = cpu();
  const failed: number[] = [];
  const done = new Map<string, number>();
  const sum = { seeds: 0, simulated: 0, events: 0, claims: 0, grants: 0 };
  for (let seed = from; seed < from + seeds; seed++) {
    const outcome = await simulate(seed, build, values.trace);
    sum.seeds++;
    sum.simulated += outcome.simulated;
    sum.events += outcome.events;
    sum.claims += outcome.claims;
    sum.grants += outcome.grants;
    for (const [kind, times] of outcome.done) done.set(kind, (done.get(kind) ?? 0) + times);
    for (const line of outcome.lines) say(line);
    const { faults, unknown, digest } = outcome;
    if (values.json) say(JSON.stringify({ world: name, seed, digest, faults, unknown }));
    if (faults.length + unknown.length === 0) continue;
    failed.push(seed);
    if (!values.json) {
      for (const fault of faults.slice(0, 5)) say(`FAULT   ${fault}`);
      for (const sentence of unknown.slice(0, 5)) say(`UNKNOWN ${sentence}`);
      say(`replay  npm run simulate -- --world ${name} --from ${seed} --seeds 1 --trace`);
    }
    if (values.stop) break;
  }
  const { user, system } = cpu(began);
  const seconds = (user + system) / 1e6;
  const ratio = Math.round(sum.simulated / 1_000 / seconds);
  if (failed.length > 0) process.exitCode = 1;
  if (values.json) {
    say(JSON.stringify({ world: name, ...sum, seconds, ratio, failed }));
    return;
  }
  say(`${name}: seeds ${from} to ${from + sum.seeds - 1}`);
  say(`simulated  ${hours(sum.simulated)} in ${seconds.toFixed(1)} s of CPU: ${ratio} times`);
  say(`events     ${sum.events}, claims ${sum.claims}, grants ${sum.grants}`);
  say(`faults     ${[...done].map(([kind, times]) => `${kind} ${times}`).join(", ")}`);
  say(`failed     ${failed.length}${failed.length === 0 ? "" : `: ${failed.join(", ")}`}`);
}

function hours(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function count(name: "seeds" | "from", least: number): number {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= least) return value;
  process.stderr.write(`--${name} ${values[name]}: use a whole number, at least ${least}.\n`);
  process.exit(2);
}
