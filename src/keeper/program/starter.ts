import { writeSync } from "node:fs";
import type { Hold } from "../../lock/history.ts";
import type { Lease } from "../../lock/store.ts";
import { parseLine, readLines } from "../lines.ts";
import { ACKNOWLEDGED, DISMISSED, type Message, type Order } from "../protocol.ts";
import { LinePipe } from "./pipe.ts";

const STDIN = 0;
const STDOUT = 1;

/**
 * The process that started this one, at the other end of two pipes; its end closes them, however it
 * ends. Its first lines are waited for and nothing else is done meanwhile: there is nothing else to
 * do yet, and what Node needs to do it by events takes longer to load than all the rest.
 */
export class Starter {
  readonly #pipe = new LinePipe(STDIN);
  #tookLeave = false;

  /** Null where it ended before it gave one. */
  order(): Order | null {
    return this.#object() as Order | null;
  }

  /** What it claimed in this process's name; null where it ended before it had it. */
  lease(): Lease | null {
    return this.#object() as Lease | null;
  }

  /** Whether it took its leave before it was gone. */
  get tookLeave(): boolean {
    return this.#tookLeave;
  }

  tell(message: Message): void {
    try {
      // By hand: a stream for a few lines would have to be loaded, and kept.
      writeSync(STDOUT, `${JSON.stringify(message)}\n`);
    } catch {
      // Nobody reads it any more: the end of the other pipe tells that as well.
    }
  }

  /** From here on it is listened to by events. */
  listen(): ListenedStarter {
    const acknowledged = Promise.withResolvers<boolean>();
    const gone = new AbortController();
    let past: readonly Hold[] = [];
    const onLine = (line: string) => {
      const value = parseLine(line);
      if (line === ACKNOWLEDGED) acknowledged.resolve(true);
      else if (Array.isArray(value)) past = value;
    };
    // Not process.stdin, which has to find out first what it is.
    const { Socket } = process.getBuiltinModule("node:net");
    const stdin = new Socket({ fd: STDIN, readable: true, writable: false });
    const early = this.#pipe.rest();
    if (early.length > 0) stdin.unshift(early);
    readLines(stdin, onLine, () => {
      acknowledged.resolve(false);
      gone.abort();
    });
    return {
      gone: gone.signal,
      acknowledged: acknowledged.promise,
      past: async () => past,
      close: () => {
        stdin.destroy();
      },
    };
  }

  #object(): Record<string, unknown> | null {
    const line = this.#pipe.next();
    if (line === DISMISSED) this.#tookLeave = true;
    return line === null ? null : parseLine(line);
  }
}

export interface ListenedStarter {
  /** Fires when the starter ends before it knows about the grant. */
  readonly gone: AbortSignal;
  /** True once it knows; false where it went before. */
  readonly acknowledged: Promise<boolean>;
  /** What it had read of the key's past when it acknowledged. */
  past(): Promise<readonly Hold[]>;
  close(): void;
}
