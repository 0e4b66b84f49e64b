import { isEnabled } from "./inputs.ts";
import { runStage } from "./stage.ts";
import { takeLock } from "./take.ts";

await runStage({ fails: true }, async (stage) => {
  if (isEnabled(stage.core.getInput)) await takeLock(stage);
  else stage.core.info("holdfast: turned off by enabled: false");
});
