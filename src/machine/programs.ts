import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { LockError } from "../lock/errors.ts";

/** The keeper's program, beside the one that runs: in dist/ as bundles, in the sources as modules. */
export function keeperEntry(program: string): string {
  return besides(program, ["keeper/index.js", "keeper/program/main.ts"]);
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
