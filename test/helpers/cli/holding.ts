import { temporaryDirectory } from "../directories.ts";
import type { Running } from "../processes.ts";
import { startCli, UNTIL_INPUT_ENDS } from "./cli.ts";

/** What a call of the CLI in a store of its own needs. */
export interface Store {
  readonly env: { readonly HOLDFAST_STORE: string };
}

export function store(): Store {
  return { env: { HOLDFAST_STORE: temporaryDirectory() } };
}

export async function hold(at: Store, options: string[] = [], key = "k"): Promise<Running> {
  const run = startCli(["run", key, ...options, "--", ...UNTIL_INPUT_ENDS], at);
  await run.prints(/ready/);
  return run;
}

export async function holdAndDie(at: Store): Promise<void> {
  const run = await hold(at, ["--owner", "first"]);
  run.killGroup("SIGKILL");
  await run.ended;
}
