import { constants } from "node:os";

export type Signal = "SIGINT" | "SIGTERM" | "SIGHUP" | "SIGBREAK";

/**
 * What ends a command politely: from the keyboard, from a supervisor, from a closed terminal. Windows
 * knows none, but Node calls Ctrl-C, Ctrl-Break and a closed console so.
 */
export const SIGNALS: readonly Signal[] =
  process.platform === "win32" ? ["SIGINT", "SIGBREAK", "SIGHUP"] : ["SIGINT", "SIGTERM", "SIGHUP"];

const CONSOLE_EVENTS = { SIGINT: "Ctrl-C", SIGBREAK: "Ctrl-Break", SIGHUP: "a closed console" };

/** The name that users of this system know a signal by. */
export function nameOf(signal: Signal): string {
  const isEvent = process.platform === "win32" && signal !== "SIGTERM";
  return isEvent ? CONSOLE_EVENTS[signal] : signal;
}

/** The exit code that a shell gives to a process which a signal ended. */
export function signalCode(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

/**
 * Catches the signals from the start of `run` to its end. Before the command runs, the first one is
 * kept and fires `interrupted`; while it runs, each goes to the receiver that `forwardTo` named.
 */
export class Signals {
  readonly #interrupted = new AbortController();
  #receiver: ((signal: Signal) => void) | null = null;
  #first: Signal | null = null;

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#onSignal);
  }

  get first(): Signal | null {
    return this.#first;
  }

  get interrupted(): AbortSignal {
    return this.#interrupted.signal;
  }

  forwardTo(receiver: (signal: Signal) => void): void {
    this.#receiver = receiver;
  }

  close(): void {
    for (const signal of SIGNALS) process.off(signal, this.#onSignal);
  }

  readonly #onSignal = (signal: NodeJS.Signals) => {
    if (this.#receiver !== null) return this.#receiver(signal as Signal);
    this.#first ??= signal as Signal;
    this.#interrupted.abort();
  };
}
