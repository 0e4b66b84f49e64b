import { forgetLease, type Released, releaseLease } from "../keeper/client/release.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import type { StoreOptions } from "../stores/options.ts";
import { secretsOf } from "./inputs.ts";
import { reportRelease, writeSummary } from "./report.ts";
import type { State } from "./state.ts";
import type { Stage } from "./workflow.ts";

/** Releases the lock, and tells how that went: in the log and in the step summary. */
export async function release(stage: Stage, state: State): Promise<void> {
  const released = await releaseOrForget(stage, state);
  if (state.outcome === null) await tidyUpAfterPre(state, secretsOf(stage));
  const now = Date.now();
  reportRelease(stage, state, released, now);
  writeSummary(stage, state, await withMemory(stage, state, released, now), now);
}

/**
 * Removes what a killed pre left in the line. Its keeper does the same, but may be killed by the
 * runner's sweep before it is done: so its end is waited for.
 */
async function tidyUpAfterPre(
  { inputs, owner, store, keeper }: State,
  storeOptions: StoreOptions,
): Promise<void> {
  const { seeOut, tidyUp } = await import("../keeper/client/tidy-up.ts");
  if (keeper !== null) await seeOut(keeper);
  await tidyUp({ key: inputs.key, owner, store, storeOptions });
}

/** Adds this hold to the memory in the cache, where there is one, once the lock is released. */
async function withMemory(
  stage: Stage,
  state: State,
  released: Released,
  now: number,
): Promise<Released> {
  if (state.inputs.history !== "cache" || !state.outcome?.acquired) return released;
  if (released.outcome !== "released" && released.outcome !== "recovered") return released;
  const { remember } = await import("./cache/client.ts");
  return { ...released, holds: await remember(stage, state, state.outcome, now) };
}

/** Releases the lease. Where that fails, its file is removed: nobody comes back for it. */
async function releaseOrForget(stage: Stage, { leaseFile, inputs }: State): Promise<Released> {
  try {
    const history = inputs.history === "auto";
    return await releaseLease(leaseFile, { history, storeOptions: secretsOf(stage) });
  } catch (error) {
    // What cannot be read may be no lease at all: it is not ours to remove.
    if (!isLockError(error) || error.code === "BAD_LEASE_FILE") throw error;
    for (const line of forgetLease(leaseFile)) stage.core.info(`keeper: ${line}`);
    throw new LockError(
      error.code,
      `The lock ${JSON.stringify(inputs.key)} could not be released. ${error.message} Nobody renews it any more: it is free when its lease is over, at the latest.`,
      { cause: error },
    );
  }
}
