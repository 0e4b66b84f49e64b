import { type IdleKeeper, spawnKeeper } from "../keeper/client/spawn.ts";
import { prepareLeaseDirectory } from "../keeper/lease-directory.ts";
import { keeperEntry } from "../machine/programs.ts";
import { isEnabled } from "./enabled.ts";
import { endStage } from "./end.ts";
import { readInput } from "./input.ts";

/**
 * The keeper's process needs as long to start as this one did: so it starts before anything else,
 * while this one loads the rest and claims the lock. Without an order it ends.
 */
function readyKeeper(program: string, env: NodeJS.ProcessEnv): IdleKeeper | null {
  try {
    if (!isEnabled((name) => readInput(env, name))) return null;
    const directory = prepareLeaseDirectory(env);
    return spawnKeeper({ entry: keeperEntry(program), env, directory });
  } catch {
    // Whatever is wrong is found again, and said, where the lock is taken.
    return null;
  }
}

const keeper = readyKeeper(process.argv[1] ?? "", process.env);
try {
  const { runPre } = await import("./begin.ts");
  await runPre(keeper);
} finally {
  keeper?.dismiss();
}
endStage();
