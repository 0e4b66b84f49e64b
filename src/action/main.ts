import { setOutputs } from "./environment.ts";
import { verify } from "./hold/verify.ts";
import { isEnabled, parsePlan } from "./inputs.ts";
import { checkSeenInputs } from "./seen.ts";
import { readSeenInputs, readState, saveMain } from "./state.ts";
import { runStage } from "./workflow.ts";

/** main: verifies the lock that pre claimed, claims it if no pre ran, or does what `mode` asks. */
void runStage({ fails: true }, async (stage) => {
  saveMain(stage.core);
  const seen = readSeenInputs(stage.env);
  if (seen !== null) checkSeenInputs(seen, stage.core.getInput);
  if (!isEnabled(stage.core.getInput)) return;
  const state = readState(stage.env);
  if (state?.inLine) return (await import("./hold/take.ts")).take(stage, state);
  if (state !== null) return verify(stage, state);
  const { mode } = parsePlan(stage.core.getInput);
  if (mode === "check") return (await import("./modes/check.ts")).check(stage);
  if (mode === "release") return (await import("./modes/release-run.ts")).releaseRun(stage);
  // The code for claiming is loaded only here: usually pre has claimed.
  const { acquire } = await import("./hold/acquire.ts");
  setOutputs(stage, await acquire(stage, null));
});
