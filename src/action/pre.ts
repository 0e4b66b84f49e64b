import { keeperEntry } from "../keeper/entry.ts";
import { prepareLeaseDirectory } from "../keeper/lease-directory.ts";
import { type IdleKeeper, spawnKeeper } from "../keeper/start.ts";
import { schemeOf } from "../stores/open.ts";
import { isEnabled } from "./enabled.ts";
import { runStage } from "./stage.ts";
import type { Stage } from "./toolkit.ts";

await runStage({ fails: true }, async (stage) => {
  if (!isEnabled(stage.core.getInput)) {
    stage.core.info("holdfast: turned off by enabled: false");
    return;
  }
  const keeper = readyKeeper(stage);
  try {
    const { takeLock } = await import("./take.ts");
    await takeLock(stage, keeper);
  } finally {
    keeper?.dismiss();
  }
});

/**
 * The keeper's process needs as long to start as this one did: so it starts at once, while this one
 * loads the rest and finds out what to claim. Without an order it ends.
 */
function readyKeeper({ core, program, env }: Stage): IdleKeeper | null {
  try {
    const directory = prepareLeaseDirectory(env);
    const scheme = schemeOf(core.getInput("store") || env.HOLDFAST_STORE || "file:");
    return spawnKeeper({ entry: keeperEntry(program), env, directory, scheme });
  } catch {
    // Whatever is wrong is found again, and said, where the lock is taken.
    return null;
  }
}
