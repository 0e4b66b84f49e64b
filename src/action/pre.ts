import { type IdleKeeper, spawnKeeper } from "../keeper/client/spawn.ts";
import { prepareLeaseDirectory } from "../keeper/leases.ts";
import { checkNode, keeperEntry } from "../machine/programs.ts";
import { isEnabled, parsePlan, readInput } from "./inputs.ts";
import { seenInputs } from "./seen.ts";
import { clearState, saveSeenInputs } from "./state.ts";
import { runStage } from "./workflow.ts";

/** pre: claims the lock before the job's first step, unless main has to do that. */
async function pre(): Promise<void> {
  const keeper = startKeeper(process.argv[1] ?? "", process.env);
  await runStage({ fails: true }, async (stage) => {
    const { core } = stage;
    clearState(core);
    const { stage: when, mode } = parsePlan(core.getInput);
    if (mode !== "hold") return core.info(`holdfast: mode: ${mode} acts at the step itself`);
    if (when === "main")
      return core.info("holdfast: the lock is claimed at the step itself (stage: main)");
    saveSeenInputs(core, seenInputs(core.getInput));
    if (!isEnabled(core.getInput)) return core.info("holdfast: turned off by enabled: false");
    const { acquire } = await import("./hold/acquire.ts");
    await acquire(stage, keeper, when === "line");
  });
  keeper?.dismiss();
}

/**
 * Starts the keeper's process before anything else. It needs as long to start as this one did, and
 * meanwhile this one loads the rest and claims the lock. Without a task it ends.
 */
function startKeeper(program: string, env: NodeJS.ProcessEnv): IdleKeeper | null {
  try {
    checkNode();
    const read = (name: string) => readInput(env, name);
    const { stage, until } = parsePlan(read);
    if (!isEnabled(read) || stage === "main" || until === "run") return null;
    const directory = prepareLeaseDirectory(env);
    return spawnKeeper({ entry: keeperEntry(program), env, directory });
  } catch {
    // An error is ignored here: the claim finds it again, and reports it.
    return null;
  }
}

void pre();
