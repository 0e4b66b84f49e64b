import { type ChildProcess, spawn } from "node:child_process";
import { dirname } from "node:path";
import { type ErrorCode, LockError } from "../lock/errors.ts";
import type { Progress } from "../lock/store.ts";
import { type LeaseFile, readLeaseFile } from "./lease-file.ts";
import { parseLine, readLines } from "./lines.ts";
import { ACKNOWLEDGED, type Message, type Order } from "./order.ts";

/** A cancelled keeper has to leave the line and say so; one that cannot is killed. */
const LEAVE_MS = 5_000;

export interface StartOptions {
  /** The keeper's program. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Starts a keeper and waits until it holds the lock. The keeper lives on when this process ends;
 * should this process end before it knows of the grant, however it ends, the keeper lets go.
 */
export async function startKeeper(order: Order, options: StartOptions): Promise<LeaseFile> {
  const child = spawn(process.execPath, [options.entry], {
    // Its own session, and none of our stdio: the runner waits for whoever holds a stage's.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    cwd: dirname(order.leaseFile),
    env: keeperEnvironment(options.env),
    windowsHide: true,
  });
  try {
    await negotiate(child, order, options);
  } finally {
    child.stdin?.destroy();
    child.stdout?.destroy();
    child.unref();
  }
  const lease = readLeaseFile(order.leaseFile);
  if (lease === null)
    throw new LockError("KEEPER_GONE", "The keeper let go as soon as it had the lock.");
  return lease;
}

/** RUNNER_TRACKING_ID stays: the runner's sweep after the job is the last backstop. */
function keeperEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // What a job's tests or agents preload into Node has no business in the keeper.
  const { NODE_OPTIONS: _, NODE_V8_COVERAGE: __, ...rest } = env;
  return rest;
}

function negotiate(child: ChildProcess, order: Order, options: StartOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) return reject(new Error("the keeper has no pipes"));
    let timer: NodeJS.Timeout | undefined;
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

    child.on("error", (error) => gone(error.message));
    child.on("exit", (code, signal) => gone(signal ?? `exit code ${code}`));
    stdin.on("error", () => {});
    const onLine = (line: string) => {
      const message = parseLine(line) as Message | null;
      switch (message?.event) {
        case "progress":
          return options.onProgress?.(message.progress);
        case "granted":
          if (!options.signal?.aborted) stdin.write(`${ACKNOWLEDGED}\n`);
          return;
        case "kept":
          return settle(resolve);
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
