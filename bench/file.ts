import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchHandoff } from "./file-handoff.ts";
import { benchLine } from "./file-line.ts";
import { benchUncontended } from "./file-uncontended.ts";

const USAGE = `npm run bench file -- [--only uncontended|handoff|line] [--rounds N] [--store DIR]
`;

const PARTS = { uncontended: benchUncontended, handoff: benchHandoff, line: benchLine };
/** Enough for a median that holds still on a machine that does other things as well. */
const ROUNDS: Record<keyof typeof PARTS, number> = { uncontended: 40, handoff: 5, line: 3 };

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    rounds: { type: "string" },
    store: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) {
  process.stdout.write(USAGE);
} else {
  const directory = mkdtempSync(join(values.store ?? tmpdir(), "holdfast-bench-"));
  try {
    for (const [name, bench] of Object.entries(PARTS)) {
      if (values.only !== undefined && values.only !== name) continue;
      await bench(directory, Number(values.rounds ?? ROUNDS[name as keyof typeof PARTS]));
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
