import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { afterEach } from "vitest";
import { until } from "./waiting.ts";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process under test, of which both outputs are kept and can be waited for. */
export interface Running {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
  /** Resolves when the output has it; rejects when the process ended without. */
  prints(pattern: RegExp, stream?: "stdout" | "stderr"): Promise<RegExpExecArray>;
  write(text: string): void;
  kill(signal: NodeJS.Signals): void;
  /** For processes started with `detached`: their whole group. */
  killGroup(signal: NodeJS.Signals): void;
}

const started = new Set<Running>();

afterEach(async () => {
  const running = [...started];
  started.clear();
  // Descendants too: those on a terminal of their own are in another group, and what is left over
  // would go on in a directory that is about to be removed.
  const descendants = running.flatMap(({ pid }) => descendantsOf(pid));
  for (const each of running) {
    quietly(() => process.kill(-each.pid, "SIGKILL"));
    quietly(() => each.process.kill("SIGKILL"));
  }
  for (const pid of descendants) quietly(() => process.kill(pid, "SIGKILL"));
  await Promise.all(running.map((each) => each.ended));
  await until(() => !descendants.some(isAlive));
});

function descendantsOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

function quietly(call: () => unknown): void {
  try {
    call();
  } catch {
    // Gone already.
  }
}

/** Starts a process in a group of its own, so that a signal can be sent to that group. */
export function start(file: string, args: readonly string[], options: SpawnOptions = {}): Running {
  const child = spawn(file, args, { detached: true, ...options, stdio: ["pipe", "pipe", "pipe"] });
  const text = { stdout: "", stderr: "" };
  const listeners = new Set<() => void>();
  let end: Ended | null = null;
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (chunk: string) => {
      text[stream] += chunk;
      for (const listener of listeners) listener();
    });
  }
  child.stdin?.on("error", () => {});
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    // `close`, not `exit`: by then all output has been read.
    child.on("close", (code, signal) => {
      end = { code, signal, ...text };
      resolve(end);
      for (const listener of listeners) listener();
    });
  });
  const running: Running = {
    pid: child.pid as number,
    process: child,
    ended,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    prints: (pattern, stream = "stdout") =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text[stream]);
          if (match === null && end === null) return;
          listeners.delete(look);
          if (match !== null) resolve(match);
          else reject(new Error(`ended without ${pattern}: ${JSON.stringify(end)}`));
        };
        listeners.add(look);
        look();
      }),
    write: (input) => void child.stdin?.write(input),
    kill: (signal) => void child.kill(signal),
    killGroup: (signal) => void process.kill(-(child.pid as number), signal),
  };
  started.add(running);
  return running;
}

const hasProc = existsSync("/proc/self/stat");

/** Whether a process runs; one that has ended and waits to be collected does not. */
export function isAlive(pid: number): boolean {
  try {
    if (!hasProc) return process.kill(pid, 0);
    return !/^[ZX]/.test(stateOf(pid));
  } catch {
    return false;
  }
}

/** The letter with which Linux says what a process is doing, such as T for one that is stopped. */
export function stateOf(pid: number): string {
  return statOf(pid)[0] ?? "";
}

/** The fields of a process from its state on; its name before them may have spaces and brackets. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** The processes that a process has started and that still run; none where there is no /proc. */
export function childrenOf(pid: number): number[] {
  if (!hasProc) return [];
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((candidate) => parentOf(candidate) === pid && isAlive(candidate));
}

function parentOf(pid: number): number | null {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    return null;
  }
}
