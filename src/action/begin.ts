import type { IdleKeeper } from "../keeper/client/spawn.ts";
// The usual store comes with this part: what is loaded one by one takes longer, and mostly it is used.
import "../stores/file/store.ts";
import "../stores/file/wait.ts";
import "../stores/file/audit/holds.ts";
import { isEnabled } from "./enabled.ts";
import { takeLock } from "./take.ts";
import { runStage } from "./workflow.ts";

/** pre, once its keeper is on its way. */
export async function runPre(keeper: IdleKeeper | null): Promise<void> {
  await runStage({ fails: true }, async (stage) => {
    if (isEnabled(stage.core.getInput)) await takeLock(stage, keeper);
    else stage.core.info("holdfast: turned off by enabled: false");
  });
}
