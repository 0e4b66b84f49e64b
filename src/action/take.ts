import type { IdleKeeper } from "../keeper/client/spawn.ts";
import { acquire } from "./acquire.ts";
import { handOver, installCommand } from "./environment.ts";
import { parseInputs } from "./inputs.ts";
import type { State } from "./state.ts";
import type { Stage } from "./toolkit.ts";

/**
 * Takes the lock and hands it over to the steps that follow: pre's work, or main's without a pre.
 * `idle`: a keeper that is ready for its order.
 */
export async function takeLock(stage: Stage, idle: IdleKeeper | null = null): Promise<State> {
  const inputs = parseInputs(stage.core.getInput, stage.env);
  installCommand(stage);
  const state = await acquire(stage, inputs, idle);
  handOver(stage, state);
  return state;
}
