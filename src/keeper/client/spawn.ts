import { type ChildProcess, spawn } from "node:child_process";
import { DISMISSED } from "../protocol.ts";

/** A keeper's process that waits for its order. It ends by itself when its starter is gone. */
export interface IdleKeeper {
  readonly child: ChildProcess;
  /** It is not needed, or no longer ours to speak to. May be called twice. */
  dismiss(): void;
}

export interface SpawnOptions {
  /** The keeper's program. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where it works, which must be there for as long as it does. */
  readonly directory: string;
}

/** Starts the process alone: while it gets ready, its starter can find out what to order. */
export function spawnKeeper({ entry, env, directory }: SpawnOptions): IdleKeeper {
  const child = spawn(process.execPath, [entry], {
    // Its own session, and none of our stdio: the runner waits for whoever holds a stage's.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    cwd: directory,
    env: keeperEnvironment(env),
    windowsHide: true,
  });
  // Told to whoever negotiates; before that there is nobody to tell, and no order is lost.
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

/** RUNNER_TRACKING_ID stays: the runner's sweep after the job is the last backstop. */
function keeperEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // What a job's tests or agents preload into Node has no business in the keeper.
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...rest } = env;
  return rest;
}
