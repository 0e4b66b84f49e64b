import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { type ErrorCode, LockError } from "../../../src/lock/errors.ts";
import type { Owner } from "../../../src/lock/owner.ts";
import type { Lease, Store } from "../../../src/lock/store.ts";
import type { AuditEntry } from "../../../src/stores/file/audit/read.ts";
import { openStore } from "../../../src/stores/open.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";
import { stateOf } from "../processes.ts";
import { until } from "../waiting.ts";
import type { Order } from "./holder.ts";

export const isWindows = process.platform === "win32";
export const isLinux = process.platform === "linux";
export const isRoot = process.geteuid?.() === 0;

export async function testStore(path: string, options: StoreOptions = {}): Promise<Store> {
  const store = await openStore(path, { fsync: false, ...options });
  onTestFinished(() => store.close());
  return store;
}

export function owner(id: string, metadata: Owner["metadata"] = {}): Owner {
  return { id, metadata };
}

/** Fails the test unless the call fails with that code; gives back the error. */
export async function failure(call: Promise<unknown>, code: ErrorCode): Promise<LockError> {
  const error = await call.then(
    (value) => new Error(`succeeded with ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof LockError)) throw error;
  expect([error.code, error.message]).toEqual([code, error.message]);
  return error;
}

export interface Child {
  readonly pid: number;
  /** Sends a signal and, where it ends the process, waits for the end. */
  kill(signal: NodeJS.Signals): Promise<void>;
}

const FATAL = new Set(["SIGKILL", "SIGTERM"]);

function tame(child: ChildProcess): Child {
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  return {
    pid: child.pid as number,
    kill: async (signal) => {
      const gone = once(child, "exit");
      child.kill(signal);
      if (FATAL.has(signal)) await gone;
    },
  };
}

/** Stops a process outside of the keys' guards: inside of one it would be in everybody's way. Linux only. */
export async function stopOutsideGuard(pid: number): Promise<void> {
  for (;;) {
    process.kill(pid, "SIGSTOP");
    await until(() => stateOf(pid) === "T");
    const locks = readFileSync("/proc/locks", "utf8").split("\n");
    if (!locks.some((line) => line.split(/\s+/)[4] === String(pid))) return;
    process.kill(pid, "SIGCONT");
    await until(() => stateOf(pid) !== "T");
  }
}

/** A living process that has nothing to do with Holdfast. */
export async function bystander(): Promise<Child> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6); console.log()"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const tamed = tame(child);
  await once(child.stdout, "data");
  return tamed;
}

/** A pid whose process has ended and was collected. */
export async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ["-e", ""], { stdio: "ignore" });
  const pid = child.pid as number;
  await once(child, "exit");
  return pid;
}

export interface Holder extends Child {
  readonly lease: Lease;
  /** The sentence with which it learns that it lost the lock. */
  readonly lost: Promise<string>;
  release(): Promise<string>;
}

type Message =
  | { event: "held"; lease: Lease }
  | { event: "lost"; message: string }
  | { event: "released"; outcome: string };

/** A real process that holds a lock. */
export async function holder(
  store: string,
  request: Partial<Order["request"]> & { key: string },
  more: Partial<Pick<Order, "options" | "cover">> & { launcher?: string[] } = {},
): Promise<Holder> {
  const { launcher = [], options, ...rest } = more;
  const order: Order = {
    store,
    options: { fsync: false, ...options },
    request: { owner: owner(`holder of ${request.key}`), ...request },
    ...rest,
  };
  const script = fileURLToPath(new URL("./holder.ts", import.meta.url));
  const [command, ...words] = [...launcher, process.execPath];
  const child = fork(script, [JSON.stringify(order)], {
    execPath: command as string,
    execArgv: words,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const heard = <E extends Message["event"]>(event: E) =>
    new Promise<Extract<Message, { event: E }>>((resolve, reject) => {
      child.on("message", (message: Message) => {
        if (message.event === event) resolve(message as Extract<Message, { event: E }>);
      });
      child.once("exit", () => reject(new Error(`the holder ended before it ${event}`)));
    });
  const held = heard("held");
  const lost = heard("lost").then(({ message }) => message);
  const released = heard("released").then(({ outcome }) => outcome);
  // Mostly nobody waits for these: their end is no failure.
  for (const promise of [lost, released]) promise.catch(() => {});
  const tamed = tame(child);
  return {
    ...tamed,
    lease: (await held).lease,
    lost,
    release: () => {
      child.send("release");
      return released;
    },
  };
}

export function auditLog(directory: string, file = ".lock_audit.log"): AuditEntry[] {
  const lines = readFileSync(join(directory, file), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as AuditEntry);
}

/** Changes fields of a sema lock file in place, as if another machine or another day had written it. */
export function rewrite(path: string, changes: Record<string, string | number>): void {
  let text = readFileSync(path, "utf8");
  for (const [name, value] of Object.entries(changes)) {
    const line = new RegExp(`^${name}=.*$`, "m");
    expect(text).toMatch(line);
    text = text.replace(line, `${name}=${value}`);
  }
  writeFileSync(path, text);
}
