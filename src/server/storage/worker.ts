import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";
import { isLockError, messageOf } from "../../lock/errors.ts";
import { Archive } from "./archive.ts";
import type { Notice, Order } from "./messages.ts";

/** How soon a write that failed is tried again: a disk that was full may have room.*/
const RETRY_MS = 250;

/**
 * The thread of the storage: everything that came meanwhile goes into one transaction, so that a
 * slow disk makes the transactions longer and not the line.
 */
function work(port: MessagePort, archive: Archive): void {
  const orders: Order[] = [];
  let troubled = false;
  let retrying = false;

  function settle(): void {
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
      orders.push(more.message as Order);
    }
    const last = orders.at(-1);
    if (last === undefined) return;
    try {
      const answers = archive.carryOut(orders);
      if (troubled) tell({ kind: "trouble", message: null });
      troubled = false;
      orders.length = 0;
      tell({ kind: "settled", number: last.number, answers });
    } catch (error) {
      // No client is told of what is not on the disk. It stays in order, and is tried again.
      complain(error);
      if (last.close === undefined) {
        retrying = true;
        setTimeout(retry, RETRY_MS);
        return;
      }
    }
    if (last.close === undefined) return;
    close();
  }

  /** A full disk must not turn a planned stop into a failure: nothing that was promised is lost. */
  function close(): void {
    try {
      archive.close();
    } catch (error) {
      complain(error);
    }
    tell({ kind: "closed" });
    port.close();
  }

  function complain(error: unknown): void {
    if (!troubled) tell({ kind: "trouble", message: messageOf(error) });
    troubled = true;
  }

  function retry(): void {
    retrying = false;
    settle();
  }

  function tell(notice: Notice): void {
    port.postMessage(notice);
  }

  port.on("message", (order: Order) => {
    orders.push(order);
    if (!retrying) settle();
  });
}

const port = parentPort as MessagePort;
try {
  const archive = new Archive(workerData as { file: string | null });
  port.postMessage({ kind: "opened", found: archive.find() } satisfies Notice);
  work(port, archive);
} catch (error) {
  const code = isLockError(error) ? error.code : "INTERNAL";
  port.postMessage({ kind: "refused", code, message: messageOf(error) } satisfies Notice);
}
