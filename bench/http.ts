/**
 * The server's HTTP door beside a bare Node http server (the limit), and what `--data` costs. Rounds
 * are short and take turns, and ratios are those of neighbouring rounds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpRate, openSession } from "./http-load.ts";
import { measureGrants, measureHttpHandOff, measureStart } from "./http-measures.ts";
import { type Served, startServed } from "./http-targets.ts";
import { quantile } from "./lib/measure.ts";

const ROUNDS = Number(process.argv[2] ?? 15);
const BARE = fileURLToPath(new URL("./http-bare.ts", import.meta.url));

const directory = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const data = join(directory, "locks.db");
const memory = await startServed("holdfast", ["--http-port", "0"]);
const disk = await startServed("holdfast --data", ["--http-port", "0", "--data", data]);
const bare = await startServed("bare node:http", [], BARE);

console.log(`medians of ${ROUNDS} rounds`);
for (const connections of [1, 10, 100]) {
  const targets = [memory, bare, disk];
  const rounds: number[][] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const figures: number[] = [];
    for (const target of targets) figures.push(await requests(target, connections));
    if (round >= 0) rounds.push(figures);
  }
  const cells = targets.map(({ name }, index) => {
    const figure = quantile(
      rounds.map((figures) => figures[index] as number),
      0.5,
    );
    const ratio = quantile(
      rounds.map((figures) => (figures[0] as number) / (figures[index] as number)),
      0.5,
    );
    const beside = index === 0 ? "" : ` (holdfast is ${ratio.toFixed(2)} of it)`;
    return `${name} ${Math.round(figure).toLocaleString("en")}${beside}`;
  });
  console.log(`acquire or release/s, ${connections} connections: ${cells.join(", ")}`);
}
console.log(await measureHttpHandOff(memory));
for (const target of [memory, disk, bare]) await target.stop();
console.log(await measureGrants(directory));
console.log(await measureStart(directory, 0));
console.log(await measureStart(directory, 20_000));
console.log(await measureStart(directory, 100_000));
rmSync(directory, { recursive: true });

/** Sessions of a bare server are of any kind. */
async function requests(target: Served, connections: number): Promise<number> {
  const sessions: string[] = [];
  while (sessions.length < connections) {
    sessions.push(target === bare ? "0".repeat(64) : await openSession(target.httpPort));
  }
  return httpRate(target.httpPort, sessions);
}
