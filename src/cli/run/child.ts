import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { fstatSync } from "node:fs";
import type { Writable } from "node:stream";
import { heldVariable } from "../../keeper/leases.ts";
import { LockError, messageOf, systemCode } from "../../lock/errors.ts";
import { resourceWord } from "../../lock/resources.ts";
import { quote } from "../../lock/text.ts";
import { fencesOf, type SeveralHolding } from "../../stores/several.ts";
import { signalCode } from "./signals.ts";
import { windowsCommand } from "./windows-command.ts";

/**
 * The environment of the command: the caller's, what it runs under, and the mark by which its
 * processes are found. A `run` within a `run` adds its mark to the outer one's.
 */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  holding: SeveralHolding,
  mark: string,
): NodeJS.ProcessEnv {
  const { key, fence, slot, owner, store } = holding.lease;
  // The lease file of a surrounding job is removed: `holdfast verify` would ask about that other lock.
  const {
    HOLDFAST_FENCE: _fence,
    HOLDFAST_FENCES: _fences,
    HOLDFAST_LEASE: _lease,
    HOLDFAST_RESOURCE: _resource,
    ...rest
  } = env;
  const resource = resourceWord(holding.lease);
  const { leases } = holding;
  let held: NodeJS.ProcessEnv = {};
  for (const lease of leases) held = heldVariable({ ...env, ...held }, lease);
  return {
    ...rest,
    HOLDFAST_KEY: key,
    HOLDFAST_OWNER: owner,
    HOLDFAST_STORE: store,
    HOLDFAST_SLOT: String(slot),
    HOLDFAST_RUN: env.HOLDFAST_RUN ? `${env.HOLDFAST_RUN}:${mark}` : mark,
    ...held,
    ...(fence === null ? {} : { HOLDFAST_FENCE: String(fence) }),
    ...(resource === null ? {} : { HOLDFAST_RESOURCE: resource }),
    ...(leases.length === 1 ? {} : { HOLDFAST_FENCES: JSON.stringify(fencesOf(leases)) }),
  };
}

export interface RunningCommand {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Its exit code, or 128 and its signal. */
  readonly ended: Promise<number>;
}

/**
 * Starts the command, without a shell, on the caller's own terminal or pipes. `lifeline`: an end of a
 * pipe that the command is to hold open.
 */
export async function startCommand(
  commandLine: readonly string[],
  env: NodeJS.ProcessEnv,
  lifeline: Writable | null,
): Promise<RunningCommand> {
  const [name = "", ...words] = commandLine;
  const { file, args, verbatim } =
    process.platform === "win32"
      ? windowsCommand(commandLine, env, process.cwd())
      : { file: name, args: words, verbatim: false };
  let child: ChildProcess;
  try {
    const stdio = handedDown(words, lifeline);
    child = spawn(file, args, { stdio, env, windowsVerbatimArguments: verbatim });
  } catch (error) {
    throw notStarted(file, error);
  }
  const { pid } = child;
  if (pid === undefined) {
    throw await new Promise((resolve) => {
      child.once("error", (error) => resolve(notStarted(file, error)));
    });
  }
  const ended = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) =>
      resolve(signal === null ? (code ?? 0) : signalCode(signal)),
    );
    // For instance a signal could not be sent; only `exit` says that the command has ended.
    child.on("error", () => {});
  });
  return { process: child, pid, ended };
}

/**
 * The three standard streams, and those that the arguments name: a shell gives `<(…)` as `/dev/fd/63`,
 * and Node closes all others on the way to a child.
 */
function handedDown(args: readonly string[], lifeline: Writable | null): StdioOptions {
  const stdio: ("inherit" | "ignore" | Writable)[] = ["inherit", "inherit", "inherit"];
  for (const argument of args) {
    const descriptor = Number(/^\/dev\/fd\/(\d{1,3})$/.exec(argument)?.[1] ?? 0);
    if (descriptor < 3 || !isOpen(descriptor)) continue;
    while (stdio.length < descriptor) stdio.push("ignore");
    stdio[descriptor] = "inherit";
  }
  if (lifeline !== null) stdio.push(lifeline);
  return stdio;
}

function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}

function notStarted(file: string, error: unknown): LockError {
  const options = { cause: error };
  switch (systemCode(error)) {
    case "ENOENT":
      return new LockError(
        "COMMAND_NOT_FOUND",
        `The command ${quote(file, 200)} was not found: check its name and the PATH, or, of a script, the interpreter in its first line.`,
        options,
      );
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
    case "ENFILE":
      return new LockError(
        "INTERNAL",
        `The command ${quote(file, 200)} could not be started, the system is short of resources: ${messageOf(error)}.`,
        options,
      );
    default:
      return new LockError(
        "COMMAND_NOT_RUNNABLE",
        `The command ${quote(file, 200)} cannot be run (${messageOf(error)}): is it a file that this user may execute?`,
        options,
      );
  }
}
