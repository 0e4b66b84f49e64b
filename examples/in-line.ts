/**
 * A deployment that stands in line while it builds, written with the library:
 *
 *     node examples/in-line.ts [STORE] [KEY]
 */
import { setTimeout as delay } from "node:timers/promises";
import { formatDuration, here, identify, isLockError, openStore } from "holdfast";

const [, , url = "file:", key = "production"] = process.argv;
const TIMEOUT_MS = 30 * 60_000;

/** Ctrl-C leaves the line, or stops the deployment and releases. */
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const store = await openStore(url);
try {
  // A store over tcp:// has no places in line, and then no `join`.
  if (store.join === undefined) throw new Error(`${store.url} has no places in line`);
  const place = await store.join({ key, owner: identify(here()).owner }, { signal: stop.signal });
  try {
    console.log(`in line for ${place.key} at place ${place.progress.position}`);
    // A newer claim may end the place, with `line: "newest"`: then the build is for nothing.
    await step("build", AbortSignal.any([place.lost, stop.signal]));
    const holding = await place.take({ timeout: TIMEOUT_MS, signal: stop.signal });
    try {
      console.log(`holding ${key} after ${formatDuration(holding.lease.waited)}`);
      await step("deploy", AbortSignal.any([holding.lost, stop.signal]));
    } finally {
      console.log(`lock ${await holding.release()}`);
    }
  } finally {
    // After a build that failed; a place that was taken is over already.
    await place.leave();
  }
} catch (error) {
  console.error(isLockError(error) ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  await store.close();
}

/** Stands for work that takes a while, and ends at once where the signal fires. */
async function step(name: string, signal: AbortSignal): Promise<void> {
  console.log(`${name} begins`);
  await delay(Number(process.env.STEP_MS ?? 500), undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
  console.log(`${name} is done`);
}
