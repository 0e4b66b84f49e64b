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
    env: keptEnvironment(env),
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

/**
 * What a keeper has of its starter's environment, by name: every later step of the job can read it for
 * as long as the keeper lives. Secrets are not among it; a store's come with the task.
 */
const KEPT: readonly string[] = [
  // The runner's sweep after the job, by this mark, is the last resort.
  "RUNNER_TRACKING_ID",
  // To find `ps`, where there is no /proc; to start at all, where Node's libraries are elsewhere.
  "PATH",
  "LD_LIBRARY_PATH",
  // Windows: without these no program starts there, resolves names or finds its directories.
  "SystemRoot",
  "windir",
  "ComSpec",
  "PATHEXT",
  "TEMP",
  "TMP",
  "ProgramData",
  "USERPROFILE",
  "LOCALAPPDATA",
  // Which certificates Node trusts, which it reads when it starts.
  "NODE_EXTRA_CA_CERTS",
  "NODE_USE_SYSTEM_CA",
  "NODE_TLS_REJECT_UNAUTHORIZED",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  // Where Node keeps compiled code, which saves time at the start.
  "NODE_COMPILE_CACHE",
];

/** The part of an environment that a process of Holdfast's own which outlives its starter gets. */
export function keptEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const found = KEPT.filter((name) => env[name] !== undefined);
  return Object.fromEntries(found.map((name) => [name, env[name]]));
}
