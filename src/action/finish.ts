import type { Released } from "../keeper/client/release.ts";
import { letGo } from "./release.ts";
import type { State } from "./state.ts";
import { runStage } from "./workflow.ts";

/** post, once its keeper was asked to let go. */
export async function runPost(state: State, releasing: Promise<Released>): Promise<void> {
  await runStage({ fails: false }, (stage) => letGo(stage, state, releasing));
}
