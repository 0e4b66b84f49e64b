import { releaseLease } from "../keeper/client.ts";
import { reportRelease } from "./report.ts";
import { loadState } from "./state.ts";
import type { Stage } from "./toolkit.ts";

/** post: lets go, whatever happened before. Where no stage got as far as a claim, there is nothing. */
export async function letGo(stage: Stage): Promise<void> {
  const state = loadState(stage.core);
  if (state === null) return;
  await reportRelease(stage, state, await releaseLease(state.leaseFile));
}
