import { checkRunSupport } from "../../keeper/client/run.ts";
import { whoHolds } from "../../keeper/client/verify.ts";
import { leasesIn, leasesOf, removeLeaseFile } from "../../keeper/lease-file.ts";
import { leaseDirectory } from "../../keeper/leases.ts";
import { LockError } from "../../lock/errors.ts";
import type { Run, Store } from "../../lock/store.ts";
import { parseInputs } from "../inputs.ts";
import { ownRun } from "../run.ts";
import { openStepStore } from "../store.ts";
import type { Stage } from "../workflow.ts";

/**
 * Releases what this run holds with `until: run`, whichever of its jobs claimed it. A key that nobody holds
 * is success. A key that another run holds stays held, and fails the step once the rest is released.
 */
export async function releaseRun(stage: Stage): Promise<void> {
  const { core, env } = stage;
  const inputs = parseInputs(core.getInput, env);
  const run = ownRun(env);
  const { store } = await openStepStore(stage, inputs);
  const others: string[] = [];
  try {
    checkRunSupport(store);
    for (const name of inputs.keys) {
      const key = store.keyOf(name);
      const outcome = await store.releaseRun?.(key, run);
      if (outcome === "released") core.info(`holdfast: ${key} released for the whole run`);
      else if (typeof outcome !== "object") core.info(`holdfast: ${key} is free already`);
      else {
        const who = await whoHolds(store, key, outcome.heldBy);
        others.push(`${JSON.stringify(key)} is held by ${who}, not by this run`);
      }
      if (typeof outcome !== "object") forgetLeases(env, store, key, run);
    }
    core.setOutput("key", inputs.key);
    core.setOutput("store", store.url);
  } finally {
    await store.close();
  }
  if (others.length > 0)
    throw new LockError("LOCK_LOST", `${others.join(", and ")}: it was not released.`);
}

/** Removes this job's own leases of what was released, so that its post has nothing to say about them. */
function forgetLeases(env: NodeJS.ProcessEnv, store: Store, key: string, run: Run): void {
  for (const { path, lease } of leasesIn(leaseDirectory(env))) {
    const isOfRun = lease.run?.id === run.id && lease.store === store.url;
    if (isOfRun && leasesOf(lease).every((each) => each.key === key)) removeLeaseFile(path);
  }
}
