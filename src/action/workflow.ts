import {
  addPath,
  debug,
  exportVariable,
  getInput,
  info,
  notice,
  error as reportError,
  saveState,
  setFailed,
  setOutput,
  setSecret,
  warning,
} from "@actions/core";
import { isLockError, messageOf } from "../lock/errors.ts";
import type { Stage, Toolkit } from "./toolkit.ts";

const core: Toolkit = {
  addPath,
  debug,
  error: reportError,
  exportVariable,
  getInput,
  info,
  notice,
  saveState,
  setFailed,
  setOutput,
  setSecret,
  warning,
};

/** Runs one stage with the real world around it. Entries call this and do nothing else. */
export async function runStage(
  options: { readonly fails: boolean },
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  const cancel = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => cancel.abort());
  try {
    await run({
      core,
      env: process.env,
      cancelled: cancel.signal,
      program: process.argv[1] ?? "",
      parentPid: process.ppid,
    });
  } catch (error) {
    const message = isLockError(error) ? error.message : `Internal error: ${messageOf(error)}`;
    if (isLockError(error, "ABORTED")) {
      core.info("holdfast: cancelled while waiting; the line is left");
      process.exitCode = 1;
    } else if (options.fails) core.setFailed(message);
    // Letting go is the last thing a job does: what fails here has nothing left to protect.
    else core.warning(message);
  }
}
