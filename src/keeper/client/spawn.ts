import { type ChildProcess, spawn } from "node:child_process";
import { DISMISSED } from "../protocol.ts";

/** A keeper's process that waits for its task. It ends by itself when its starter is gone. */
export interface IdleKeeper {
  readonly child: ChildProcess;
  /** Takes leave of it, with or without a task. May be called twice. */
  dismiss(): void;
}

export interface SpawnOptions {
  /** The keeper's program. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Its working directory, which must be there for as long as it lives. */
  readonly directory: string;
}

/** Starts the process alone: while it gets ready, its starter can find out what its task is. */
export function spawnKeeper({ entry, env, directory }: SpawnOptions): IdleKeeper {
  const child = spawn(process.execPath, [entry], {
    // Its own session, and none of our stdio: the runner waits until nobody holds a stage's open.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    cwd: directory,
    env: keeperEnvironment(env),
    windowsHide: true,
  });
  // Its end is noticed where the claim is confirmed; before that no task is lost.
  child.on("error", () => {});
  child.stdin?.on("error", () => {});
  return {
    child,
    dismiss() {
      child.stdin?.end(`${DISMISSED}\n`);
      child.stdout?.destroy();
      child.unref();
    },
  };
}

/** The environment of a keeper. RUNNER_TRACKING_ID stays: the runner's sweep after the job is the last resort. */
function keeperEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // What a job's tests or agents preload into Node has no business in the keeper.
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...rest } = env;
  // The step's inputs hold secrets which the steps after it were not given, and could read there.
  return Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith("INPUT_")));
}
