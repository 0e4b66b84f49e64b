import { forgetLease, releaseLease } from "../../keeper/client/release.ts";
import { readLeaseFile } from "../../keeper/lease-file.ts";
import { type Access, withStore } from "../../keeper/leases.ts";
import { isLockError, LockError } from "../../lock/errors.ts";
import { isRepository } from "../../stores/open.ts";
import { accessOf, namesOf } from "../inputs.ts";
import { hasMainBegun, type State } from "../state.ts";
import type { Ending } from "../summary/summary.ts";
import type { Stage } from "../workflow.ts";
import { reportEnding, reportSkipped, writeSummary } from "./report.ts";

/** Releases the lock, or leaves it to the run, and reports that in the log and the step summary. */
export async function release(stage: Stage, state: State): Promise<void> {
  if (!hasMainBegun(stage.env)) reportSkipped(stage, state);
  const ending = await releaseOrForget(stage, state);
  if (state.outcome === null) await tidyUpAfterPre(state, accessOf(stage, state));
  const now = Date.now();
  reportEnding(stage, state, ending, now);
  writeSummary(stage, state, await withMemory(stage, state, ending, now), now);
}

/**
 * Removes the ticket that a killed pre left in the line. Its keeper does the same, but may be killed by the
 * runner's sweep before it is done: so its end is waited for.
 */
async function tidyUpAfterPre(
  { inputs, owner, store, keeper }: State,
  access: Access,
): Promise<void> {
  const { seeOut, tidyUp } = await import("../../keeper/client/tidy-up.ts");
  if (keeper !== null) await seeOut(keeper);
  for (const key of inputs.keys) await tidyUp({ key, owner, store }, access);
}

/** Adds this hold to the history in the cache, if there is one, once the lock is released. */
async function withMemory(
  stage: Stage,
  state: State,
  ending: Ending,
  now: number,
): Promise<Ending> {
  if (state.inputs.history !== "cache" || !state.outcome?.acquired) return ending;
  if (ending.outcome !== "released" && ending.outcome !== "recovered") return ending;
  const { remember } = await import("../cache/client.ts");
  return { ...ending, holds: await remember(stage, state, state.outcome, now) };
}

/** Leaves the lock to the run, which may have lost it, and removes this job's lease of it. */
async function leave(leaseFile: string, access: Access): Promise<Ending> {
  const lease = readLeaseFile(leaseFile);
  if (lease === null) return { outcome: "already-gone", log: [] };
  const { leaveToRun } = await import("../../keeper/client/run.ts");
  const seen = await withStore(lease, access, leaveToRun(lease));
  return { ...seen, log: forgetLease(leaseFile) };
}

/** Releases the lease, or leaves it. If that fails, its file is removed: no later stage needs it. */
async function releaseOrForget(stage: Stage, state: State): Promise<Ending> {
  const { leaseFile, inputs, store } = state;
  const access = accessOf(stage, state);
  try {
    if (inputs.until === "run") return await leave(leaseFile, access);
    return await releaseLease(leaseFile, { history: inputs.history === "auto", access });
  } catch (error) {
    // A file that cannot be read may be no lease at all: it is not removed.
    if (!isLockError(error) || error.code === "BAD_LEASE_FILE") throw error;
    for (const line of forgetLease(leaseFile)) stage.core.info(`keeper: ${line}`);
    const names = namesOf(inputs);
    const sentence =
      inputs.until === "run"
        ? `Whether this run still holds ${names} could not be seen. ${error.message}`
        : `The lock of ${names} could not be released. ${error.message} ${whenFree(store)}`;
    throw new LockError(error.code, sentence, { cause: error });
  }
}

/** Says what will free a lock that its job could not release. */
function whenFree(store: string): string {
  return isRepository(store)
    ? "It is free when the forge says that this job is over, or when nobody has renewed it for long enough."
    : "Nobody renews it any more: it is free when its lease is over, at the latest.";
}
