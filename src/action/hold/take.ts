import { takePlace } from "../../keeper/client/take.ts";
import { leasesOf } from "../../keeper/lease-file.ts";
import { exportEnvironment, setOutputs } from "../environment.ts";
import type { State } from "../state.ts";
import type { Stage } from "../workflow.ts";
import { openWait, settled } from "./acquire.ts";

/** Takes the lock at the step, from the place in line that pre has joined. */
export async function take(stage: Stage, state: State): Promise<void> {
  const { inputs, leaseFile, store } = state;
  const wait = await openWait(stage, inputs, store);
  const { timeout } = inputs;
  const options = { timeout, signal: stage.cancelled, onProgress: wait.update };
  const done = await settled(stage, state, wait, async () => ({
    leases: leasesOf(await takePlace(leaseFile, options)),
    until: null,
  }));
  exportEnvironment(stage, done);
  setOutputs(stage, done);
}
