import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join, win32 } from "node:path";
import { resourceWord } from "../lock/resources.ts";
import { cliEntry } from "../machine/programs.ts";
import type { State } from "./state.ts";
import type { Stage } from "./workflow.ts";

/** Sets the step's outputs. Only main can: the runner drops those that are set in pre. */
export function setOutputs({ core }: Stage, state: State): void {
  const { outcome } = state;
  core.setOutput("acquired", outcome?.acquired ?? false);
  core.setOutput("key", state.inputs.key);
  core.setOutput("owner", state.owner);
  core.setOutput("store", state.store);
  core.setOutput("waited", (outcome?.waited ?? 0) / 1_000);
  const held = outcome?.acquired ? outcome : null;
  core.setOutput("fence", held?.fence ?? "");
  core.setOutput("fences", held === null ? "" : JSON.stringify(held.fences));
  core.setOutput("slot", held?.slot ?? "");
  core.setOutput("resource", held === null ? "" : (resourceWord(held) ?? ""));
  if (held?.resources) core.setOutput("resources", JSON.stringify(held.resources));
  core.setOutput("lease", held === null ? "" : state.leaseFile);
  const newer = outcome?.acquired === false ? outcome.newer : null;
  core.setOutput("superseded-by", newer?.by ?? "");
}

/** Gives later steps the environment of a held lock, and `holdfast` on the PATH. Reaches them also from pre. */
export function exportEnvironment(stage: Stage, state: State): void {
  if (!state.outcome?.acquired) return;
  const { core } = stage;
  core.exportVariable("HOLDFAST_KEY", state.inputs.key);
  if (state.outcome.fence !== null) core.exportVariable("HOLDFAST_FENCE", state.outcome.fence);
  core.exportVariable("HOLDFAST_SLOT", state.outcome.slot);
  const resource = resourceWord(state.outcome);
  if (resource !== null) core.exportVariable("HOLDFAST_RESOURCE", resource);
  core.exportVariable("HOLDFAST_LEASE", state.leaseFile);
  core.exportVariable("HOLDFAST_STORE", state.store);
  offerCommand(stage);
}

/** Puts `holdfast` on the PATH of later steps. */
export function offerCommand(stage: Stage): void {
  stage.core.addPath(commandDirectory(stage));
}

function commandDirectory(stage: Stage): string {
  return join(stage.env.RUNNER_TEMP ?? ".", "holdfast-bin");
}

/**
 * Installs the `holdfast` command, with the node that runs the action: a step's PATH may have no
 * node, or an old one. Done ahead, while the keeper starts; only a job that gets the lock finds it
 * in its PATH.
 */
export function installCommand(stage: Stage): void {
  const directory = commandDirectory(stage);
  const cli = cliEntry(stage.program);
  mkdirSync(directory, { recursive: true });
  const script = join(directory, "holdfast");
  writeFileSync(script, commandScript(process.execPath, cli));
  chmodSync(script, 0o755);
  if (process.platform === "win32") {
    writeFileSync(join(directory, "holdfast.cmd"), batchScript(directory, process.execPath, cli));
  }
}

/**
 * A step may run where the action's files are missing, such as in a container of its own: then an error
 * says so.
 */
function commandScript(node: string, cli: string): string {
  const code = 'if [ "$1" = run ]; then exit 125; else exit 2; fi';
  const missing = `echo "holdfast: $file, with which the action ran, is not there in this step." >&2; ${code}`;
  return `#!/bin/sh
for file in ${shellQuote(node)} ${shellQuote(cli)}; do
  [ -r "$file" ] || { ${missing}; }
done
exec ${shellQuote(node)} ${shellQuote(cli)} "$@"
`;
}

/**
 * For cmd.exe and PowerShell. cmd.exe reads a batch file in a code page of its own, which may lack
 * letters of a runner's directory; so paths begin at the batch file where they can. % is doubled.
 */
export function batchScript(directory: string, node: string, cli: string): string {
  const word = (path: string) => {
    const way = win32.relative(directory, path);
    return `"${win32.isAbsolute(way) ? "" : "%~dp0"}${way.replaceAll("%", "%%")}"`;
  };
  return `@${word(node)} ${word(cli)} %*\r\n`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
