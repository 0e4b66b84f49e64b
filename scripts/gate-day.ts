import { parseArgs } from "node:util";
import { type Day, liveDay } from "../test/simulation/gate/day.ts";

const USAGE = `npm run gate-day -- [options]
  --seeds N   how many days (default 1)
  --from N    the first seed (default 1)
  --calm      no kills, and no events or answers that get lost
  --trace     prints everything that happens, one line each
  --json      prints the figures of each day as a line of JSON
`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1" },
    from: { type: "string", default: "1" },
    calm: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);
const minutes = (milliseconds: number) => Math.round(milliseconds / 60_000);
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}
const from = Number(values.from);
for (let seed = from; seed < from + Number(values.seeds); seed++) {
  const trace = values.trace;
  const gated = await liveDay({ seed, gate: true, faults: !values.calm, trace });
  for (const line of gated.lines) say(line);
  const plain = trace ? null : await liveDay({ seed, gate: false, faults: false });
  tell(seed, gated, plain);
  const bad = [gated.overlaps, gated.stuck, gated.violations, gated.failures].flat();
  if (bad.length > 0 || (plain?.failures.length ?? 0) > 0) process.exitCode = 1;
}

function tell(seed: number, gated: Day, plain: Day | null): void {
  const { lines: _, ...figures } = gated;
  if (values.json) {
    say(JSON.stringify({ seed, gated: figures, plain: plain && { ...plain, lines: [] } }));
    return;
  }
  const { runs, deployments, cancelled, kills, events, lost, doubled, late } = gated;
  say(
    `seed ${seed}: ${runs} runs, ${deployments} jobs in environments, ${cancelled} runs cancelled`,
  );
  say(
    `faults      ${kills} kills; of ${events} events ${lost} lost, ${doubled} doubled, ${late} late; ${gated.failedRequests} of ${gated.requests} requests failed`,
  );
  say(
    `overlaps    ${gated.overlaps.length}, stuck ${gated.stuck.length}, budgets broken ${gated.violations.length}`,
  );
  for (const problem of [gated.overlaps, gated.stuck, gated.violations, gated.failures]
    .flat()
    .slice(0, 10)) {
    say(`PROBLEM     ${problem}`);
  }
  say(
    `with        ${minutes(gated.onRunners)} runner minutes for ${minutes(gated.worked)} minutes of work, ${minutes(gated.took)} from beginning to end`,
  );
  if (plain !== null) {
    say(
      `without     ${minutes(plain.onRunners)} runner minutes for ${minutes(plain.worked)} minutes of work, ${minutes(plain.took)} from beginning to end`,
    );
    for (const problem of [plain.stuck, plain.failures].flat().slice(0, 5))
      say(`PROBLEM     without: ${problem}`);
  }
  for (const comment of gated.comments) say(`  ${comment}`);
}
