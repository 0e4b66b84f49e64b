import { toTheSecond } from "../../forecast/words.ts";
import { verifyLease } from "../../keeper/client/verify.ts";
import { readLeaseFile } from "../../keeper/lease-file.ts";
import { formatDuration } from "../../lock/duration.ts";
import { isLockError, LockError } from "../../lock/errors.ts";
import { setOutputs } from "../environment.ts";
import { accessOf, namesOf } from "../inputs.ts";
import type { State } from "../state.ts";
import type { Stage } from "../workflow.ts";
// The usual store is part of this program: loaded one by one, its modules would take longer.
import "../../stores/file/reader.ts";

/** Verifies the lock that pre claimed, and sets the outputs. Throws where it is not held. */
export async function verify(stage: Stage, state: State): Promise<void> {
  const { outcome, inputs } = state;
  if (outcome === null || (!outcome.acquired && inputs.required)) {
    // continue-on-error may have hidden the failure of pre; the steps after this one must not run.
    throw notHeld(
      state,
      "was not acquired before the job's first step: see the log of the pre step",
    );
  }
  setOutputs(stage, state);
  if (!outcome.acquired) return;
  const lease = readLeaseFile(state.leaseFile);
  if (lease === null) throw notHeld(state, "is no longer held: it was released before this step");
  const verified = await verifyLease(lease, accessOf(stage, state)).catch((error: unknown) => {
    if (!isLockError(error)) throw error;
    const what = `The lock ${JSON.stringify(inputs.key)} could not be verified before this step.`;
    throw new LockError(error.code, `${what} ${error.message}`, { cause: error });
  });
  if (!verified.held) throw notHeld(state, `was lost before this step: ${verified.reason}`);
  const held = formatDuration(Math.max(0, Date.now() - Date.parse(outcome.since)));
  const { until } = outcome;
  stage.core.info(
    until === null
      ? `holdfast: this job holds ${namesOf(inputs)}, since ${held}`
      : `holdfast: this run holds ${namesOf(inputs)}, since ${held}, until ${toTheSecond(until)} at the latest`,
  );
}

function notHeld(state: State, what: string): LockError {
  return new LockError("LOCK_LOST", `The lock ${JSON.stringify(state.inputs.key)} ${what}.`);
}
