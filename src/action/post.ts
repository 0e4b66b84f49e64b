import { release } from "./hold/release.ts";
import { readState } from "./state.ts";
import { runStage } from "./workflow.ts";

/**
 * post: releases the lock. It fails no job by itself, since the keeper ends with the job in any case.
 * Where no stage got as far as a claim, there is nothing to do.
 */
void runStage({ fails: false }, async (stage) => {
  const state = readState(stage.env);
  if (state !== null) await release(stage, state);
});
