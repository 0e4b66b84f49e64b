import type { IdleKeeper } from "../keeper/spawn.ts";
import { isEnabled } from "./enabled.ts";
import { runStage } from "./stage.ts";
import { takeLock } from "./take.ts";

/** pre, once its keeper is on its way. */
export async function runPre(keeper: IdleKeeper | null): Promise<void> {
  await runStage({ fails: true }, async (stage) => {
    if (isEnabled(stage.core.getInput)) await takeLock(stage, keeper);
    else stage.core.info("holdfast: turned off by enabled: false");
  });
}
