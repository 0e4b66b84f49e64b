import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { restoreCache, saveCache } from "@actions/cache";
import { messageOf } from "../../lock/errors.ts";
import type { CacheAnswer, CacheRequest } from "./client.ts";
import { MEMORY_FILE } from "./entry.ts";

/**
 * The program that talks to the Actions cache. It is a process of its own, since @actions/cache is a
 * hundred times as large as a stage of the action, and can be ended when it takes too long. It runs
 * in a directory made for it, and answers its parent's requests one at a time.
 */
process.on("message", (request: CacheRequest) => {
  void perform(request)
    .catch((error: unknown): CacheAnswer => ({ text: null, problem: messageOf(error) }))
    .then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));

async function perform(request: CacheRequest): Promise<CacheAnswer> {
  Object.assign(process.env, request.variables);
  if (request.save !== null) {
    writeFileSync(MEMORY_FILE, request.save.text);
    const id = await saveCache([MEMORY_FILE], request.save.name);
    return { text: null, problem: id === -1 ? "not saved" : null };
  }
  rmSync(MEMORY_FILE, { force: true });
  const found = await restoreCache([MEMORY_FILE], request.prefix, [request.prefix]);
  return { text: found === undefined ? null : readFileSync(MEMORY_FILE, "utf8"), problem: null };
}
