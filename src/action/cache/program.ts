import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { restoreCache, saveCache } from "@actions/cache";
import { messageOf } from "../../lock/errors.ts";
import type { CacheAnswer, CacheOrder } from "./client.ts";
import { MEMORY_FILE } from "./entry.ts";

/**
 * A program of its own: @actions/cache is a hundred times as large as a stage of the action, so it
 * is loaded only by those who ask for it, in a process that can be ended when it takes too long. It
 * runs in a directory made for it, and answers what its parent asks, one thing at a time.
 */
process.on("message", (order: CacheOrder) => {
  void perform(order)
    .catch((error: unknown): CacheAnswer => ({ text: null, problem: messageOf(error) }))
    .then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));

async function perform(order: CacheOrder): Promise<CacheAnswer> {
  if (order.save !== null) {
    writeFileSync(MEMORY_FILE, order.save.text);
    const id = await saveCache([MEMORY_FILE], order.save.name);
    return { text: null, problem: id === -1 ? "not saved" : null };
  }
  rmSync(MEMORY_FILE, { force: true });
  const found = await restoreCache([MEMORY_FILE], order.prefix, [order.prefix]);
  return { text: found === undefined ? null : readFileSync(MEMORY_FILE, "utf8"), problem: null };
}
