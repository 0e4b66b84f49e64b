import { runOf } from "../ci/index.ts";
import { LockError } from "../lock/errors.ts";
import type { Run } from "../lock/store.ts";

/** The run that this job belongs to. Throws BAD_RUN where it cannot be told from others. */
export function ownRun(env: NodeJS.ProcessEnv): Run {
  const run = runOf(env);
  if (run !== null) return run;
  throw new LockError(
    "BAD_RUN",
    "Input until: a lock for a whole run needs a run that can be told from all others, and this runner names none (GITHUB_RUN_ID): use until: job.",
  );
}
