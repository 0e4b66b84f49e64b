import type { State } from "./state.ts";
import type { Stage } from "./toolkit.ts";

/** Outputs set in pre are dropped by the runner, so main emits them. */
export function emitOutputs(stage: Stage, state: State): void {
  const { core } = stage;
  const { outcome } = state;
  core.setOutput("acquired", outcome?.acquired ?? false);
  core.setOutput("key", state.inputs.key);
  core.setOutput("owner", state.owner);
  core.setOutput("store", state.store);
  core.setOutput("waited", (outcome?.waited ?? 0) / 1_000);
  core.setOutput("fence", outcome?.acquired ? (outcome.fence ?? "") : "");
  core.setOutput("lease", outcome?.acquired ? state.leaseFile : "");
}
