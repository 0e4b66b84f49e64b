/**
 * The long fuzz runs. `npm run fuzz [FRAMES [SEED]]` sends frames to the TCP door, a million of them
 * unless told otherwise; `npm run fuzz tokens [TOKENS [SEED]]` sends broken ID tokens to the exchange.
 * Exits 1 when the server did anything that it must not.
 */
import { fuzzTokens } from "../test/helpers/identity/token-fuzzer.ts";
import { fuzz } from "../test/helpers/server/fuzzer.ts";

if (process.argv[2] === "tokens") {
  const tokens = Number(process.argv[3] ?? 100_000);
  const { answers, faults, asked, memory } = await fuzzTokens(tokens, Number(process.argv[4] ?? 1));
  const inUse = [memory.before, memory.after].map(({ used, rss }) => [used, rss].map(megabytes));
  console.log(`${tokens} tokens: ${JSON.stringify(answers)}, the issuer was asked ${asked} times`);
  console.log(`memory in use and resident: ${inUse.map((pair) => pair.join(", ")).join(" -> ")}`);
  for (const fault of faults.slice(0, 20)) console.error(`fault: ${fault}`);
  process.exit(faults.length === 0 ? 0 : 1);
}

const frames = Number(process.argv[2] ?? 1_000_000);
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000);
const start = performance.now();
let shown = 0;

console.log(`fuzzing with ${frames} frames, seed ${seed}`);
const report = await fuzz({ frames, seed, connections: 50, onProgress: show });

const { before, after } = report.memory;
const growth = after.used / before.used - 1;
const residentGrowth = after.rss / before.rss - 1;
console.log(
  [
    `${report.frames} frames on ${report.connections} connections in ${seconds()} s`,
    `${report.replies} replies, ${report.grants} grants`,
    `${report.witnessed} rounds of well-behaved clients`,
    `memory in use ${megabytes(before.used)} before, ${megabytes(after.used)} after: ${percent(growth)}`,
    `resident ${megabytes(before.rss)} before, ${megabytes(after.rss)} after: ${percent(residentGrowth)}`,
  ].join("\n"),
);
if (Math.max(growth, residentGrowth) > 0.1)
  report.faults.push("The memory grew by more than 10 %.");
for (const fault of report.faults) console.error(`fault: ${fault}`);
process.exitCode = report.faults.length === 0 ? 0 : 1;

function show(done: number): void {
  if (done - shown < 50_000) return;
  shown = done;
  console.log(`${done} frames, ${seconds()} s`);
}

function seconds(): string {
  return ((performance.now() - start) / 1_000).toFixed(1);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(2)} MiB`;
}

function percent(part: number): string {
  return `${part < 0 ? "" : "+"}${(part * 100).toFixed(1)} %`;
}
