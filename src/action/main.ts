import { isEnabled } from "./enabled.ts";
import { endStage } from "./end.ts";
import { ensureHeld } from "./verify.ts";
import { runStage } from "./workflow.ts";

await runStage({ fails: true }, async (stage) => {
  if (isEnabled(stage.core.getInput)) await ensureHeld(stage);
});
endStage();
