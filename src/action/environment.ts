import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cliEntry } from "../machine/programs.ts";
import type { State } from "./state.ts";
import type { Stage } from "./toolkit.ts";

/** What later steps get: the environment, and `holdfast` on the PATH. Reaches them also from pre. */
export function handOver(stage: Stage, state: State): void {
  if (!state.outcome?.acquired) return;
  const { core } = stage;
  core.exportVariable("HOLDFAST_KEY", state.inputs.key);
  if (state.outcome.fence !== null) core.exportVariable("HOLDFAST_FENCE", state.outcome.fence);
  core.exportVariable("HOLDFAST_LEASE", state.leaseFile);
  core.exportVariable("HOLDFAST_STORE", state.store);
  core.addPath(commandDirectory(stage));
}

function commandDirectory(stage: Stage): string {
  return join(stage.env.RUNNER_TEMP ?? ".", "holdfast-bin");
}

/**
 * A step's PATH may have no node, or an old one: the command brings the one that runs the action.
 * Installed ahead, while the keeper starts; only a job that gets the lock finds it in its PATH.
 */
export function installCommand(stage: Stage): void {
  const directory = commandDirectory(stage);
  const cli = cliEntry(stage.program);
  mkdirSync(directory, { recursive: true });
  const script = join(directory, "holdfast");
  writeFileSync(
    script,
    `#!/bin/sh\nexec ${shellQuote(process.execPath)} ${shellQuote(cli)} "$@"\n`,
  );
  chmodSync(script, 0o755);
  if (process.platform === "win32") {
    writeFileSync(join(directory, "holdfast.cmd"), `@"${process.execPath}" "${cli}" %*\r\n`);
  }
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
