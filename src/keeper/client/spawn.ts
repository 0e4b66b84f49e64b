import { type ChildProcess, spawn } from "node:child_process";
import { DISMISSED } from "../protocol.ts";

/** A keeper's process that waits for its task. It ends by itself when its starter is gone. */
export interface IdleKeeper {
  readonly child: ChildProcess;
  /** Lets go of the process, with or without a task. May be called twice. */
  dismiss(): void;
}

export interface SpawnOptions {
  /** The keeper's program. */
  readonly entry: string;
  readonly env: NodeJS.ProcessEnv;
  /** Its working directory, which must exist for as long as it lives. */
  readonly directory: string;
}

/** Starts the process without a task: while it gets ready, its starter prepares the task. */
export function spawnKeeper({ entry, env, directory }: SpawnOptions): IdleKeeper {
  const child = spawn(process.execPath, [entry], {
    // Its own session, and none of our stdio: the runner waits until nobody holds a stage's open.
    detached: true,
    stdio: ["pipe", "pipe", "ignore"],
    cwd: directory,
    env: keptEnvironment(env),
    windowsHide: true,
  });
  // An early end of the process is noticed when the claim is confirmed.
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
 * The variables that a keeper gets from its starter: every later step of the job can read them for
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

/** The part of an environment for a process of Holdfast's own that outlives its starter. */
export function keptEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const found = KEPT.filter((name) => env[name] !== undefined);
  return Object.fromEntries(found.map((name) => [name, env[name]]));
}
