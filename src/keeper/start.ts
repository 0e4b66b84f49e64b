import { type ChildProcess, spawn } from "node:child_process";
import { type ErrorCode, LockError } from "../lock/errors.ts";
import type { Progress } from "../lock/store.ts";
import { aborted } from "../stores/sentences.ts";
import { type LeaseFile, readLeaseFile } from "./lease-file.ts";
import { parseLine, readLines } from "./lines.ts";
import { ACKNOWLEDGED, type Message, type Order } from "./order.ts";

/** A cancelled keeper has to leave the line and say so; one that cannot is killed. */
const LEAVE_MS = 5_000;

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
  /** Of the store that it will be told to use: so it can get that ready, too. */
  readonly scheme: string;
}

/** Starts the process alone: while it gets ready, its starter can find out what to order. */
export function spawnKeeper({ entry, env, directory, scheme }: SpawnOptions): IdleKeeper {
  const child = spawn(process.execPath, [entry, scheme], {
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
      child.stdin?.destroy();
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

export interface StartOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Gives a keeper its order and waits until it holds the lock. The keeper lives on when this process
 * ends; should this process end before it knows of the grant, however it ends, the keeper lets go.
 */
export async function orderKeeper(
  keeper: IdleKeeper,
  order: Order,
  options: StartOptions,
): Promise<LeaseFile> {
  try {
    await negotiate(keeper.child, order, options);
  } finally {
    keeper.dismiss();
  }
  const lease = readLeaseFile(order.leaseFile);
  if (lease === null)
    throw new LockError("KEEPER_GONE", "The keeper let go as soon as it had the lock.");
  return lease;
}

function negotiate(child: ChildProcess, order: Order, options: StartOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) return reject(new Error("the keeper has no pipes"));
    let timer: NodeJS.Timeout | undefined;
    let acknowledged = false;
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      options.signal?.removeEventListener("abort", cancel);
      finish();
    };
    const gone = (why: string) =>
      settle(() =>
        reject(new LockError("KEEPER_GONE", `The keeper ended before it had the lock (${why}).`)),
      );
    const cancel = () => {
      stdin.end();
      timer = setTimeout(() => child.kill("SIGKILL"), LEAVE_MS);
    };

    const { exitCode, signalCode, pid } = child;
    const ended = (code: number | null, signal: string | null) =>
      gone(signal ?? `exit code ${code}`);
    child.on("error", (error) => gone(error.message));
    child.on("exit", ended);
    // Its process was started a while ago: what happened since was told to nobody.
    if (pid === undefined) return gone("it could not be started");
    if (exitCode !== null || signalCode !== null) return ended(exitCode, signalCode);
    const onLine = (line: string) => {
      const message = parseLine(line) as Message | null;
      switch (message?.event) {
        case "progress":
          return options.onProgress?.(message.progress);
        case "granted":
          acknowledged = !options.signal?.aborted;
          if (acknowledged) stdin.write(`${ACKNOWLEDGED}\n`);
          return;
        case "kept":
          // Without a word from here the keeper lets go at once, though it had the lock for a moment.
          return settle(acknowledged ? resolve : () => reject(aborted()));
        case "failed":
          return settle(() => reject(new LockError(message.code as ErrorCode, message.message)));
      }
    };
    readLines(stdout, onLine, () => {});
    stdin.write(`${JSON.stringify(order)}\n`);
    if (options.signal?.aborted) cancel();
    else options.signal?.addEventListener("abort", cancel);
  });
}
