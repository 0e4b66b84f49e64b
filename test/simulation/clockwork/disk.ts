import { EventEmitter } from "node:events";
import { Archive } from "../../../src/server/storage/archive.ts";
import type { Notice, Order } from "../../../src/server/storage/messages.ts";
import { present } from "./globals.ts";

/** How long a transaction takes, and how long where the disk is busy with something else. */
const WRITE_MS = 4;
const STALL_MS = 1_500;
const STALLS = 1 / 200;

/** What outlives the server's process: its database, in memory. */
export class Disk {
  readonly archive = new Archive({ file: null });
  /** Called once, when the next transaction begins, with the milliseconds that it takes. */
  onWrite: ((takes: number) => void) | null = null;

  close(): void {
    this.archive.close();
  }
}

let disk: Disk | null = null;

/** Puts in the disk on which the next server finds its data. */
export function insert(next: Disk | null): void {
  disk = next;
}

/**
 * The thread of the storage, in simulated time: it stands in for Node's `Worker` and carries out the
 * same orders with the shipped archive. What it has not written is gone when its process is killed.
 */
export class SimulatedThread extends EventEmitter {
  readonly #disk: Disk;
  readonly #archive: Archive;
  readonly #orders: Order[] = [];
  #isWriting = false;

  constructor() {
    super();
    if (disk === null) throw new Error("There is no disk in this simulation.");
    this.#disk = disk;
    this.#archive = disk.archive;
    setImmediate(() => this.#tell({ kind: "opened", found: this.#archive.find() }));
  }

  postMessage(order: Order): void {
    this.#orders.push(order);
    this.#write();
  }

  ref(): void {}

  unref(): void {}

  #write(): void {
    if (this.#isWriting || this.#orders.length === 0) return;
    this.#isWriting = true;
    const { chance, actor } = present();
    const takes = chance() < STALLS ? STALL_MS * chance() : WRITE_MS * chance();
    present().plan(takes, actor, "disk", () => this.#carryOut());
    const { onWrite } = this.#disk;
    this.#disk.onWrite = null;
    onWrite?.(takes);
  }

  #carryOut(): void {
    const orders = this.#orders.splice(0);
    const { number, close } = orders.at(-1) as Order;
    const answers = this.#archive.carryOut(orders);
    this.#isWriting = false;
    this.#tell({ kind: "settled", number, answers });
    if (close !== undefined) this.emit("exit");
    else this.#write();
  }

  #tell(notice: Notice): void {
    this.emit("message", notice);
  }
}
