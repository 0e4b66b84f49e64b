import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchJobHandoff } from "./action-handoff.ts";
import { benchKeeper } from "./action-keeper.ts";
import { benchStages } from "./action-stages.ts";
import { printAim, printTable } from "./lib/report.ts";

const USAGE = `npm run bench action -- [--only stages|keeper|handoff] [--rounds N] [--rest SECONDS] [--beside DIST]
`;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string", default: "40" },
    rest: { type: "string", default: "60" },
    /** Another dist/, such as an older one, whose stages are measured in the same run. */
    beside: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

/** Every job that uses the action loads these. */
const BUNDLE_LIMIT_KB = 120;

function benchSizes(): void {
  const sizes = ["pre", "main", "post", "keeper", "cli"].map((name) => {
    const path = join(import.meta.dirname, "../dist", name, "index.js");
    return [name, statSync(path).size / 1_000] as const;
  });
  printTable(
    "Entry bundles",
    ["", "kB"],
    sizes.map(([name, size]) => [name, size.toFixed(0)]),
  );
  const largest = Math.max(...sizes.map(([, size]) => size));
  printAim(`${BUNDLE_LIMIT_KB} kB each`, `${largest.toFixed(0)} kB`, largest <= BUNDLE_LIMIT_KB);
}

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    const wants = (part: string) => values.only === undefined || values.only === part;
    if (values.only === undefined) benchSizes();
    if (wants("stages")) await benchStages(folder, Number(values.rounds), values.beside);
    if (wants("keeper")) await benchKeeper(folder, Number(values.rest));
    if (wants("handoff")) await benchJobHandoff(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
