import { writeSync } from "node:fs";
import {
  type AnnotationProperties,
  addPath,
  debug,
  error as errorAnnotation,
  exportVariable,
  getInput,
  info,
  notice,
  saveState,
  setFailed,
  setOutput,
  setSecret,
  warning,
} from "@actions/core";
import { isLockError, messageOf } from "../lock/errors.ts";
import { showable } from "../lock/text.ts";
import { checkNode } from "../machine/programs.ts";

/**
 * What the stages use of @actions/core, by name: the rest of it is not bundled. What is written to the
 * log quotes other jobs, and must not be a command to the runner.
 */
const core = {
  addPath,
  exportVariable,
  getInput,
  saveState,
  setOutput,
  setSecret,
  debug: (message: string) => debug(showable(message)),
  info: (message: string) => writeLine(showable(message)),
  notice: (message: string) => notice(showable(message)),
  warning: (message: string) => warning(showable(message)),
  error: (message: string, properties: AnnotationProperties) =>
    errorAnnotation(showableLines(message), properties),
  setFailed: (message: string) => setFailed(showableLines(message)),
};

/**
 * Writes a line to the log. The stream that @actions/core writes to takes every stage 4 ms to load,
 * and most stages say one line: so it is used only where the line could not be written at once.
 */
function writeLine(line: string): void {
  try {
    writeSync(1, `${line}\n`);
  } catch {
    info(line);
  }
}

/** An annotation may have several lines, such as lines of YAML: each is neutralised separately. */
function showableLines(message: string): string {
  return message.split("\n").map(showable).join("\n");
}

/** Everything that a stage needs from outside. */
export interface Stage {
  readonly core: typeof core;
  readonly env: NodeJS.ProcessEnv;
  /** Fires when the runner cancels: SIGINT, then SIGTERM; on Windows Ctrl-C, then Ctrl-Break. */
  readonly cancelled: AbortSignal;
  /** Path of this stage's program: the keeper and the CLI are found beside it. */
  readonly program: string;
  readonly parentPid: number;
}

/**
 * Runs one stage, and says what went wrong. `fails`: whether that fails the step. A failing post
 * would fail a job that has nothing left to protect.
 */
export async function runStage(
  options: { readonly fails: boolean },
  run: (stage: Stage) => Promise<void>,
): Promise<void> {
  const cancel = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGBREAK"] as const)
    process.on(name, () => cancel.abort());
  try {
    if (options.fails) checkNode();
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
    else core.warning(message);
  }
}
