import { forgetLease, type Released, releaseLease } from "../keeper/client.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import { reportRelease } from "./report.ts";
import { loadState, type State } from "./state.ts";
import type { Stage } from "./toolkit.ts";

/** post: lets go, whatever happened before. Where no stage got as far as a claim, there is nothing. */
export async function letGo(stage: Stage): Promise<void> {
  const state = loadState(stage.core);
  if (state === null) return;
  await reportRelease(stage, state, await release(stage, state));
}

async function release(stage: Stage, { leaseFile, inputs }: State): Promise<Released> {
  try {
    return await releaseLease(leaseFile);
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
