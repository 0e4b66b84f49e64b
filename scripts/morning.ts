/** Plays mornings of jobs that build and then deploy under a lock, with each `stage` of the action. */
import { parseArgs } from "node:util";
import { seededRandom } from "../src/forecast/seeded.ts";
import type { Claim } from "../src/server/table/claim.ts";
import { LockTable } from "../src/server/table/table.ts";
import { countIn } from "./options.ts";

const USAGE = `npm run morning -- [options]
  --mornings N   how many are played for each row (default 200)
  --hours N      how long jobs come for (default 4)
  --every N,N    minutes between two jobs at the mean, a group of rows each (default 12,4)
  --seed N       other jobs (default 1)
`;

const { values } = parseArgs({
  options: {
    mornings: { type: "string", default: "200" },
    hours: { type: "string", default: "4" },
    every: { type: "string", default: "12,4" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

/** Minutes that a job builds and deploys, at least and at most. */
const BUILDS = [2, 15] as const;
const DEPLOYS = [1, 3] as const;
const MINUTE_MS = 60_000;
const KEY = "production";
/** Nobody's lease ends by itself. */
const LEASE_MS = 10 ** 9;

/** Times are minutes of one morning. */
interface Job {
  readonly starts: number;
  readonly builds: number;
  readonly deploys: number;
}

/** When a job got its lock, when it was built, and when it began to deploy. */
interface Deployed extends Job {
  readonly granted: number;
  readonly built: number;
  readonly deployed: number;
}

const STAGES = ["pre", "main", "line"] as const;
type Stage = (typeof STAGES)[number];

/** Jobs of one morning, drawn at random. */
function draw(every: number, minutes: number, random: () => number): Job[] {
  const between = ([least, most]: readonly [number, number]) => least + random() * (most - least);
  const jobs: Job[] = [];
  const pause = () => -Math.log(random()) * every;
  for (let starts = pause(); starts < minutes; starts += pause())
    jobs.push({ starts, builds: between(BUILDS), deploys: between(DEPLOYS) });
  return jobs;
}

/** Plays one morning with the lock server's own table, on a clock that jumps from event to event. */
function play(jobs: readonly Job[], stage: Stage): Deployed[] {
  let now = 0;
  const events: { readonly at: number; readonly happen: () => void }[] = [];
  const plan = (at: number, happen: () => void) => events.push({ at, happen });
  const clock = { now: () => now * MINUTE_MS, monotonic: () => now * MINUTE_MS };
  let tokens = 0;
  const makeToken = () => String(++tokens);
  const table = new LockTable({ clock, makeToken, maxLocks: 0, maxWaiters: 0 });
  const done: Deployed[] = [];
  const begin = (job: Job) => {
    const granted = ({ token }: Claim) => {
      // With `pre` it builds under the lock.
      const deployed = stage === "pre" ? now + job.builds : now;
      const built = stage === "pre" ? job.starts : job.starts + job.builds;
      done.push({ ...job, granted: now, built, deployed });
      plan(deployed + job.deploys, () => table.release(KEY, token));
    };
    const party = table.admit({ granted, ended: () => {} });
    const claim = table.claim(party, KEY, 1, LEASE_MS, { ready: stage !== "line" });
    if (typeof claim === "string") throw new Error(`the table refused a claim: ${claim}`);
    if (claim.state === "held") granted(claim);
    if (stage !== "line") return;
    plan(job.starts + job.builds, () => {
      table.declare(claim);
      table.stepBack(claim);
    });
  };
  for (const job of jobs) plan(job.starts + (stage === "main" ? job.builds : 0), () => begin(job));
  for (;;) {
    events.sort((one, other) => other.at - one.at);
    const next = events.pop();
    if (next === undefined) return done;
    now = next.at;
    next.happen();
  }
}

/** Whether a job that had come later deployed first, though this one could have. */
function wasPassed({ starts, built, granted }: Deployed, all: readonly Deployed[]): boolean {
  return all.some(
    (later) => later.starts > starts && later.granted < granted && later.granted > built,
  );
}

const count = countIn(values);
const minutes = count("hours", 1) * 60;
const rows: (readonly string[])[] = [
  [
    "a job every",
    "`stage`",
    "start to deployment, median",
    "90th percentile",
    "lock held by a job",
    "of it without deploying",
    "built, and passed by a later job",
  ],
  Array.from({ length: 7 }, () => "---"),
];
for (const every of values.every.split(",").map(Number)) {
  for (const stage of STAGES) {
    const random = seededRandom(count("seed", 0));
    const mornings = Array.from({ length: count("mornings", 1) }, () =>
      play(draw(every, minutes, random), stage),
    );
    const all = mornings.flat();
    const waits = all.map(({ starts, deployed }) => deployed - starts).sort((a, b) => a - b);
    const at = (part: number) => waits[Math.floor(waits.length * part)] ?? 0;
    const mean = (of: (job: Deployed) => number) =>
      all.reduce((sum, job) => sum + of(job), 0) / all.length;
    const passed = mornings.flatMap((jobs) => jobs.filter((job) => wasPassed(job, jobs))).length;
    const time = (value: number) => `${value.toFixed(1)} min`;
    rows.push([
      `${every} min`,
      `\`${stage}\``,
      time(at(0.5)),
      time(at(0.9)),
      time(mean(({ granted, deployed, deploys }) => deployed + deploys - granted)),
      time(mean(({ granted, deployed }) => deployed - granted)),
      `${((100 * passed) / all.length).toFixed(0)} %`,
    ]);
  }
}
for (const row of rows) process.stdout.write(`| ${row.join(" | ")} |\n`);
