import { parseLine, readLines } from "./lines.ts";
import { ACKNOWLEDGED, type Message, type Order } from "./order.ts";

export interface Starter {
  readonly order: Promise<Order>;
  /** Fires when the starter ends before it knows about the grant. */
  readonly gone: AbortSignal;
  /** True once it knows; false where it went before. */
  readonly acknowledged: Promise<boolean>;
  tell(message: Message): void;
  close(): void;
}

/** The two pipes to the process that started this one. Its end closes them, however it ends. */
export function listenToStarter(): Starter {
  const order = Promise.withResolvers<Order>();
  const acknowledged = Promise.withResolvers<boolean>();
  const gone = new AbortController();
  let first = true;
  process.stdout.on("error", () => {});
  readLines(
    process.stdin,
    (line) => {
      if (first) {
        first = false;
        const value = parseLine(line);
        if (value === null) order.reject(new Error("the order is not JSON"));
        else order.resolve(value as unknown as Order);
      } else if (line === ACKNOWLEDGED) acknowledged.resolve(true);
    },
    () => {
      order.reject(new Error("the starter ended before it gave an order"));
      acknowledged.resolve(false);
      gone.abort();
    },
  );
  return {
    order: order.promise,
    gone: gone.signal,
    acknowledged: acknowledged.promise,
    tell: (message) => {
      if (process.stdout.writable) process.stdout.write(`${JSON.stringify(message)}\n`);
    },
    close: () => {
      process.stdin.destroy();
    },
  };
}
