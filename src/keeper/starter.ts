import { writeSync } from "node:fs";
import type { Lease } from "../lock/lease.ts";
import { parseLine, readLines } from "./lines.ts";
import { ACKNOWLEDGED, DISMISSED, type Message, type Order } from "./order.ts";

const STDOUT = 1;

export interface Starter {
  /** Null where it ended before it gave one. */
  readonly order: Promise<Order | null>;
  /** What it claimed in this process's name; null where it ended before it had it. */
  readonly lease: Promise<Lease | null>;
  /** Fires when the starter ends before it knows about the grant. */
  readonly gone: AbortSignal;
  /** True once it knows; false where it went before. */
  readonly acknowledged: Promise<boolean>;
  /** Whether it took its leave before it was gone. */
  tookLeave(): boolean;
  tell(message: Message): void;
  close(): void;
}

/** The two pipes to the process that started this one. Its end closes them, however it ends. */
export function listenToStarter(): Starter {
  const order = Promise.withResolvers<Order | null>();
  const lease = Promise.withResolvers<Lease | null>();
  const acknowledged = Promise.withResolvers<boolean>();
  const gone = new AbortController();
  const expected = [order, lease];
  let tookLeave = false;
  readLines(
    process.stdin,
    (line) => {
      if (line === DISMISSED) tookLeave = true;
      else if (line === ACKNOWLEDGED) acknowledged.resolve(true);
      // Nothing else is ever sent; what is no JSON counts as no order, or no lease.
      else expected.shift()?.resolve(parseLine(line) as never);
    },
    () => {
      order.resolve(null);
      lease.resolve(null);
      acknowledged.resolve(false);
      gone.abort();
    },
  );
  return {
    order: order.promise,
    lease: lease.promise,
    gone: gone.signal,
    acknowledged: acknowledged.promise,
    tookLeave: () => tookLeave,
    tell: (message) => {
      try {
        // By hand: a stream for a few lines would have to be loaded, and kept.
        writeSync(STDOUT, `${JSON.stringify(message)}\n`);
      } catch {
        // Nobody reads it any more: the end of the other pipe tells that as well.
      }
    },
    close: () => {
      process.stdin.destroy();
    },
  };
}
