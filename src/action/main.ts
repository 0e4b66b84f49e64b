import { setOutputs } from "./environment.ts";
import { checkSeenInputs, isEnabled } from "./inputs.ts";
import { readSeenInputs, readState } from "./state.ts";
import { verify } from "./verify.ts";
import { runStage } from "./workflow.ts";

/** main: verifies the lock that pre claimed, or claims it where no pre ran. */
void runStage({ fails: true }, async (stage) => {
  const seen = readSeenInputs(stage.env);
  if (seen !== null) checkSeenInputs(seen, stage.core.getInput);
  if (!isEnabled(stage.core.getInput)) return;
  const state = readState(stage.env);
  if (state !== null) return verify(stage, state);
  // The code for claiming is loaded only here: mostly pre has done it.
  const { acquire } = await import("./acquire.ts");
  setOutputs(stage, await acquire(stage, null));
});
