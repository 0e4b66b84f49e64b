import { lineCosts, printLine } from "../file-line.ts";
import type { RunningRow } from "./rows.ts";

/** What a hand-off costs with 1, 10 and 100 in line: each takes the lock and releases it at once. */
export async function benchLines(rows: readonly RunningRow[], rounds: number): Promise<void> {
  for (const { name, engine } of rows.filter(({ notifies }) => notifies))
    printLine(
      `${name}: a hand-off with so many in line`,
      await lineCosts(await engine.fresh(), rounds),
    );
}
