import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { output } from "../../machine/process-table.ts";
import type { Sentinel } from "./sentinel.ts";
import type { Signal } from "./signals.ts";

const isWindows = process.platform === "win32";

/**
 * Hands signals on to the command, each exactly once. A signal to the whole process group has
 * reached the command already, and a second one could end it at once, without cleaning up.
 *
 * On Windows only a console sends signals, and it sends them to all its processes.
 */
export class Forwarder {
  readonly #child: ChildProcess;
  readonly #sentinel: Sentinel;
  readonly #onTerminal: boolean;
  #judging: Signal[] | null = null;
  #last: Signal | null = null;

  constructor(child: ChildProcess, sentinel: Sentinel, onTerminal: boolean) {
    this.#child = child;
    this.#sentinel = sentinel;
    this.#onTerminal = onTerminal;
  }

  /**
   * The last signal that may have ended the command and not what it has started: it went to the command
   * alone, or, on Windows, to all of them, each of which ends in its own time.
   */
  get last(): Signal | null {
    return this.#last;
  }

  readonly receive = (signal: Signal): void => {
    if (isWindows) {
      this.#last = signal;
      return;
    }
    // While one signal is judged the sentinel may be gone: a signal that comes meanwhile gets the same verdict.
    if (this.#judging !== null) this.#judging.push(signal);
    else void this.#judge(signal);
  };

  async #judge(signal: Signal): Promise<void> {
    const signals = [signal];
    this.#judging = signals;
    const origin = await this.#sentinel.originOf(signal);
    if (!this.#hasEnded()) this.#sentinel.post();
    this.#judging = null;
    for (const each of signals) {
      if (this.#hasItAlready(each, origin)) continue;
      this.#last = each;
      this.#child.kill(each);
    }
  }

  #hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  #hasItAlready(signal: Signal, origin: "group" | "alone" | "unknown"): boolean {
    if (origin === "alone" || !this.#sharesGroup()) return false;
    // The origin is not known: Ctrl-C on a terminal is by far the likeliest.
    return origin === "group" || (this.#onTerminal && signal === "SIGINT");
  }

  /** A command that made a group of its own (setsid, an interactive shell) gets no signals of our group. */
  #sharesGroup(): boolean {
    const theirs = groupOf(this.#child.pid ?? 0);
    return theirs === null || theirs === groupOf(process.pid);
  }
}

function groupOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[2] ?? null;
  } catch {
    return output("ps", ["-o", "pgid=", "-p", String(pid)])?.trim() || null;
  }
}
