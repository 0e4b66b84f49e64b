import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { constants } from "node:os";
import { dirname } from "node:path";
import type { Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { WARDEN } from "../command.ts";
import { SIGNALS, type Signal } from "./signals.ts";

const isWindows = process.platform === "win32";

/** How long to wait: the kernel signals the members of a group one after another. */
const SETTLE_MS = 5;
/** How long the sentinel gets to end, if only its end can tell. */
const END_MS = 50;

export type Origin = "group" | "alone" | "unknown";

/**
 * Tells whether a signal came to this process alone or to its whole group, as Ctrl-C does. Nothing
 * in Node tells where a signal comes from; but a second process of the group gets the group's signals
 * too. So a `cat` waits in the group for input that never comes: a signal to the group ends it. It ends
 * by itself when its pipe closes, and thus when this process is killed.
 *
 * Windows has no signals and no groups: there the command's warden takes its place.
 */
export class Sentinel {
  #cat: ChildProcess | null = null;

  /** Starts the sentinel. Cheap if it runs already. */
  post(): void {
    if (this.#cat !== null && !hasEnded(this.#cat)) return;
    this.#cat = null;
    try {
      const cat = isWindows ? startWarden() : startCat();
      cat.on("error", () => {});
      cat.stdin?.on("error", () => {});
      cat.unref();
      (cat.stdin as unknown as Socket).unref();
      if (cat.pid !== undefined) this.#cat = cat;
    } catch {
      // No process could be started: then the origin is not known, and `originOf` says so.
    }
  }

  /**
   * Its pid, and the end of its pipe that keeps it running. A process that inherits this end keeps it
   * running as well, which is how others can see that the process lives before its pid is known.
   */
  get lifeline(): { readonly pid: number; readonly end: Writable } | null {
    const { pid, stdin } = this.#cat ?? {};
    return pid === undefined || stdin == null ? null : { pid, end: stdin };
  }

  /** Tells a warden which process the command is. */
  tell(command: number): void {
    if (isWindows) this.#cat?.stdin?.write(`${command} ${Date.now()}\n`);
  }

  /** Where a signal came from that arrived just now. */
  async originOf(signal: Signal): Promise<Origin> {
    const cat = this.#cat;
    if (cat === null) return "unknown";
    await delay(SETTLE_MS);
    const fate = hasEnded(cat) ? "ended" : fateOf(cat.pid as number, signal);
    if (fate === "alive") return "alone";
    if (fate === "pending") return "group";
    await ended(cat);
    if (!hasEnded(cat)) return fate === "ended" ? "unknown" : "alone";
    return SIGNALS.includes(cat.signalCode as Signal) ? "group" : "unknown";
  }

  dismiss(): void {
    this.#cat?.kill("SIGKILL");
    this.#cat = null;
  }
}

function startCat(): ChildProcess {
  const path = existsSync("/bin/cat") ? "/bin/cat" : "cat";
  const env = { PATH: process.env.PATH };
  return spawn(path, [], { stdio: ["pipe", "ignore", "ignore"], cwd: "/", env });
}

/** Detached: Windows ends all other children together with this process. */
function startWarden(): ChildProcess {
  return spawn(process.execPath, [process.argv[1] ?? "", WARDEN, String(process.pid)], {
    stdio: ["pipe", "ignore", "ignore"],
    cwd: dirname(process.execPath),
    env: { SystemRoot: process.env.SystemRoot, PATH: process.env.PATH },
    detached: true,
    windowsHide: true,
  });
}

function hasEnded(cat: ChildProcess): boolean {
  return cat.exitCode !== null || cat.signalCode !== null;
}

/** Resolves when it has ended, or after a while. */
async function ended(cat: ChildProcess): Promise<void> {
  if (hasEnded(cat)) return;
  const end = Promise.withResolvers<void>();
  const timer = setTimeout(end.resolve, END_MS);
  cat.once("exit", () => end.resolve());
  await end.promise;
  clearTimeout(timer);
}

/** Its state, read before it was collected; `unknown` if there is no /proc. */
function fateOf(pid: number, signal: Signal): "alive" | "pending" | "ended" | "unknown" {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return existsSync("/proc/self/status") ? "ended" : "unknown";
  }
  if (/^State:\s+[ZX]/m.test(status)) return "ended";
  // Stopped, or not yet back on a processor: then the signal waits for it.
  const bit = 1n << BigInt(constants.signals[signal] - 1);
  for (const [, mask] of status.matchAll(/^(?:SigPnd|ShdPnd):\s+([0-9a-f]+)$/gm)) {
    if ((BigInt(`0x${mask}`) & bit) !== 0n) return "pending";
  }
  return "alive";
}
