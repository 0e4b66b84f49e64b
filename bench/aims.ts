/**
 * What Holdfast costs where a person or a job feels it, beside others, in one table: `npm run bench`.
 * Each row takes turns with what it is compared with. With `--write` the table goes into
 * docs/benchmarks.md. What is not installed has no row.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hasEtcd } from "../test/helpers/engines/etcd.ts";
import { commands, etcdCommand } from "./aims/commands.ts";
import { HEADER, type Result, rowOf } from "./aims/compare.ts";
import { keeperMemory } from "./aims/memory.ts";
import { dataFile, handOffTail, httpDoor } from "./aims/servers.ts";
import { lockFiles, longLines } from "./aims/stores.ts";
import { printTable } from "./lib/report.ts";

const PAGE = join(import.meta.dirname, "../docs/benchmarks.md");
const [BEGIN, END] = ["<!-- table -->", "<!-- end of the table -->"];

const { values } = parseArgs({ options: { write: { type: "boolean", default: false } } });
const directory = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const start = performance.now();
const results: Result[] = [];

async function* all(): AsyncGenerator<Result | null> {
  yield* commands(directory);
  if (hasEtcd) yield* etcdCommand();
  yield* dataFile(directory);
  yield* httpDoor();
  yield* longLines();
  yield* lockFiles(directory);
  yield await keeperMemory(directory);
  yield await handOffTail();
}

try {
  for await (const result of all()) {
    if (result === null) continue;
    results.push(result);
    process.stderr.write(`${rowOf(result).join("  ")}\n`);
  }
} finally {
  rmSync(directory, { recursive: true, force: true });
}
const minutes = Math.ceil((performance.now() - start) / 60_000);
const rows = results.map(rowOf);
printTable(`${measuredOn()}, in ${minutes} minutes`, HEADER, rows);
if (values.write) writeInto(PAGE);

function measuredOn(): string {
  const head = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { encoding: "utf8" });
  return `Commit ${head.stdout.trim()}, Node ${process.versions.node}, ${cpus().length} cores`;
}

function writeInto(page: string): void {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  const table = [HEADER, HEADER.map(() => "---"), ...rows].map(line).join("");
  const text = readFileSync(page, "utf8");
  const [before, rest = ""] = text.split(`${BEGIN}\n`);
  const after = rest.slice(rest.indexOf(END));
  writeFileSync(page, `${before}${BEGIN}\n${table}\n${measuredOn()}.\n\n${after}`);
}
