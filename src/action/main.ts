import { ensureHeld } from "./ensure.ts";
import { isEnabled } from "./inputs.ts";
import { runStage } from "./stage.ts";

await runStage({ fails: true }, async (stage) => {
  if (isEnabled(stage.core.getInput)) await ensureHeld(stage);
});
