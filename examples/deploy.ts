/**
 * A deployment under a lock, written with the library:
 *
 *     node examples/deploy.ts [STORE] [KEY]
 */
import { setTimeout as delay } from "node:timers/promises";
import { formatDuration, type Holding, here, identify, isLockError, openStore } from "holdfast";

const [, , url = "file:", key = "production"] = process.argv;
const TIMEOUT_MS = 30 * 60_000;

/** Ctrl-C leaves the line, or stops the deployment and releases. */
const stop = new AbortController();
process.once("SIGINT", () => stop.abort());
process.once("SIGTERM", () => stop.abort());

const store = await openStore(url);
try {
  const holding = await store.claim(
    { key, owner: identify(here()).owner, note: "v1.2.3" },
    {
      timeout: TIMEOUT_MS,
      signal: stop.signal,
      onProgress: ({ position, holders }) =>
        console.log(`waiting at place ${position}, held by ${holders[0]?.owner ?? "nobody"}`),
    },
  );
  try {
    await deploy(holding);
  } finally {
    console.log(`lock ${await holding.release()}`);
  }
} catch (error) {
  console.error(isLockError(error) ? `${error.code}: ${error.message}` : error);
  process.exitCode = 1;
} finally {
  await store.close();
}

async function deploy({ lease, lost }: Holding): Promise<void> {
  console.log(`holding ${lease.key} after ${formatDuration(lease.waited)}, fence ${lease.fence}`);
  // A deployment that lost its lock must stop at once: another one may already be running.
  const signal = AbortSignal.any([lost, stop.signal]);
  for (const step of ["upload", "migrate", "switch"]) {
    signal.throwIfAborted();
    await send(step, lease.fence, signal);
  }
  console.log("deployed");
}

/**
 * Stands for a request to the machine that is deployed to. The fence goes with it: a receiver that
 * keeps the highest one it has seen can refuse a deployment that lost its lock without noticing.
 */
async function send(step: string, fence: number | null, signal: AbortSignal): Promise<void> {
  console.log(`${step} with fence ${fence}`);
  // A cancelled wait ends here; the loop above then throws the signal's own reason.
  await delay(300, undefined, { signal }).catch(() => {});
}
