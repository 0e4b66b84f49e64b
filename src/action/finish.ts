import type { Released } from "../keeper/client.ts";
import { letGo } from "./let-go.ts";
import { runStage } from "./stage.ts";
import type { State } from "./state.ts";

/** post, once its keeper was asked to let go. */
export async function runPost(state: State, releasing: Promise<Released>): Promise<void> {
  await runStage({ fails: false }, (stage) => letGo(stage, state, releasing));
}
