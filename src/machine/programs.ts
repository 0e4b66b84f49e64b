import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { LockError } from "../lock/errors.ts";
import { listProcesses } from "./process-table.ts";

/** The oldest Node that Holdfast works with. The CLI's entry repeats it, since it can import nothing at first. */
const OLDEST_NODE = 24;

/** Throws NODE_TOO_OLD. A runner may take node from its PATH, whatever the action asks for. */
export function checkNode(): void {
  const version = process.versions.node;
  if (Number.parseInt(version, 10) >= OLDEST_NODE) return;
  throw new LockError(
    "NODE_TOO_OLD",
    `Holdfast needs Node ${OLDEST_NODE} or later, and this is Node ${version}: install a newer one, or put it first in the PATH.`,
  );
}

/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
export function keeperEntry(program: string): string {
  return besides(program, ["keeper/index.js", "keeper/program/main.ts"]);
}

/** The title that a keeper gives itself: a list of processes shows it. */
export const KEEPER_TITLE = "holdfast-keeper";

/** Whether a running process is a keeper. Its command line is the title or, just after its start, the program. */
export function isKeeper(pid: number): boolean {
  const command = commandOf(pid);
  return (
    command.startsWith(KEEPER_TITLE) ||
    /keeper[/\\](index\.js|program[/\\]main\.ts)"?\s*$/.test(command)
  );
}

/** The command line of a process; empty where it cannot be read. */
function commandOf(pid: number): string {
  try {
    if (process.platform === "linux")
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return listProcesses({ pid })?.[0]?.command ?? "";
  } catch {
    return "";
  }
}

/** The CLI's program, likewise. */
export function cliEntry(program: string): string {
  return besides(program, ["cli/index.js", "cli/main.ts"]);
}

/** The program that talks to the Actions cache, likewise. */
export function cacheEntry(program: string): string {
  return besides(program, ["cache/index.js", "action/cache/program.ts"]);
}

function besides(program: string, candidates: readonly string[]): string {
  // A command in a PATH is often a link to the real one.
  const folder = dirname(dirname(realpathSync.native(program)));
  const found = candidates.map((name) => join(folder, name)).find((path) => existsSync(path));
  if (found !== undefined) return found;
  throw new LockError(
    "INTERNAL",
    `The program ${candidates[0]} is missing in ${folder}: is the installation complete?`,
  );
}
