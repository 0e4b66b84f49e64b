import { forgetLease, type Released } from "../keeper/client/release.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import { reportRelease, writeSummary } from "./report.ts";
import type { State } from "./state.ts";
import type { Stage } from "./toolkit.ts";

/** post: waits until the lock is let go, and tells what there is to tell. */
export async function letGo(
  stage: Stage,
  state: State,
  releasing: Promise<Released>,
): Promise<void> {
  const released = await outcomeOf(stage, state, releasing);
  if (state.outcome === null) await tidyUpAfterPre(state);
  const now = Date.now();
  reportRelease(stage, state, released, now);
  writeSummary(stage, state, await withMemory(stage, state, released, now), now);
}

/**
 * A pre that was killed could not give its ticket back, and its keeper, which ends without it, may
 * be swept away before it is done: so this is waited for.
 */
async function tidyUpAfterPre({ inputs, owner, store, keeper }: State): Promise<void> {
  const { seeOut, tidyUp } = await import("../keeper/client/tidy-up.ts");
  if (keeper !== null) await seeOut(keeper);
  await tidyUp({ key: inputs.key, owner, store, storeOptions: {} });
}

/** With a memory in the cache, this hold is added to it, once the lock is let go. */
async function withMemory(
  stage: Stage,
  state: State,
  released: Released,
  now: number,
): Promise<Released> {
  if (state.inputs.history !== "cache" || !state.outcome?.acquired) return released;
  if (released.outcome !== "released" && released.outcome !== "recovered") return released;
  const { remember } = await import("./cache/remember.ts");
  return { ...released, holds: await remember(stage, state, state.outcome, now) };
}

async function outcomeOf(
  stage: Stage,
  { leaseFile, inputs }: State,
  releasing: Promise<Released>,
): Promise<Released> {
  try {
    return await releasing;
  } catch (error) {
    // What cannot be read may be no lease at all: it is not ours to remove.
    if (!isLockError(error) || error.code === "BAD_LEASE_FILE") throw error;
    for (const line of forgetLease(leaseFile)) stage.core.info(`keeper: ${line}`);
    throw new LockError(
      error.code,
      `The lock ${JSON.stringify(inputs.key)} could not be let go. ${error.message} Nobody renews it any more: it is free when its lease is over, at the latest.`,
      { cause: error },
    );
  }
}
