import { verifyLease } from "../keeper/client/verify.ts";
import { readLeaseFile } from "../keeper/lease-file.ts";
import { isLockError, LockError } from "../lock/errors.ts";
import { emitOutputs } from "./outputs.ts";
import { readState, type State } from "./state.ts";
import type { Stage } from "./toolkit.ts";

/** main: makes sure that the lock is held, or takes it where no pre ran; emits the outputs. */
export async function ensureHeld(stage: Stage): Promise<void> {
  const state = readState(stage.env);
  if (state === null) {
    // The code for taking a lock is loaded only here: mostly pre has done it.
    const { takeLock } = await import("./take.ts");
    return emitOutputs(stage, await takeLock(stage));
  }
  const { outcome, inputs } = state;
  if (outcome === null || (!outcome.acquired && inputs.required)) {
    // continue-on-error may have swallowed the failure of pre; the steps after this one must not run.
    throw notHeld(
      state,
      "was not acquired before the job's first step: see the log of the pre step",
    );
  }
  emitOutputs(stage, state);
  if (!outcome.acquired) return;
  const lease = readLeaseFile(state.leaseFile);
  if (lease === null) throw notHeld(state, "is no longer held: it was let go before this step");
  const verified = await verifyLease(lease).catch((error: unknown) => {
    if (!isLockError(error)) throw error;
    const what = `The lock ${JSON.stringify(inputs.key)} could not be verified before this step.`;
    throw new LockError(error.code, `${what} ${error.message}`, { cause: error });
  });
  if (!verified.held) throw notHeld(state, `was lost before this step: ${verified.reason}`);
}

function notHeld(state: State, what: string): LockError {
  return new LockError("LOCK_LOST", `The lock ${JSON.stringify(state.inputs.key)} ${what}.`);
}
