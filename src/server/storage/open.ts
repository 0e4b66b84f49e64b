import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { type ErrorCode, LockError } from "../../lock/errors.ts";
import type { NewFile } from "./files.ts";
import type { FileAnswer, FileRequest, Notice, Order } from "./messages.ts";
import type {
  Change,
  FileConditions,
  FileInfo,
  FileResult,
  Found,
  Storage,
  StoredFile,
} from "./types.ts";

export interface StorageOptions {
  /** Null: in memory, for as long as the server runs. */
  readonly file: string | null;
  /** Told once when changes cannot be written, and with null when they can again. */
  readonly onTrouble?: (message: string | null) => void;
  /** The thread ended, which only a fault in it can do: the server must not go on without. */
  readonly onEnd?: (error: Error) => void;
}

/** Starts the storage's thread and reads what is there. Throws BAD_OPTION where the file is no good. */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const worker = new Worker(workerEntry(), { workerData: { file: options.file } });
  const found = await new Promise<Found>((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (notice: Notice) => {
      if (notice.kind === "opened") resolve(notice.found);
      else if (notice.kind === "refused") {
        reject(new LockError(notice.code as ErrorCode, notice.message));
      }
    });
  });
  worker.removeAllListeners("error");
  return new ThreadStorage(worker, found, options);
}

/** Beside this file in the sources; in dist/ a bundle of its own. */
function workerEntry(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const source = join(here, "worker.ts");
  return existsSync(source) ? source : join(dirname(here), "storage", "index.js");
}

/** How many fences are held back at most. */
const FENCES_AT_ONCE = 10_000;

interface Waiting {
  readonly number: number;
  readonly resolve: () => void;
}

class ThreadStorage implements Storage {
  readonly found: Found;
  trouble: string | null = null;
  readonly #worker: Worker;
  readonly #durable: boolean;
  #changes: Change[] = [];
  #fences = new Map<string, number>();
  #files: FileRequest[] = [];
  /** The order that is being put together, and the last one that is on the disk. */
  #number = 1;
  #settled = 0;
  #scheduled = false;
  /** One promise for all that wait for the same order. */
  #waiting: { promise: Promise<void>; entry: Waiting } | null = null;
  readonly #waits: Waiting[] = [];
  #requests = 0;
  readonly #answers = new Map<number, (answer: FileAnswer) => void>();
  #closed: Promise<void> | null = null;

  constructor(worker: Worker, found: Found, options: StorageOptions) {
    this.#worker = worker;
    this.found = found;
    this.#durable = options.file !== null;
    worker.on("message", (notice: Notice) => {
      if (notice.kind === "settled") this.#onSettled(notice);
      if (notice.kind !== "trouble") return;
      this.trouble = notice.message;
      options.onTrouble?.(notice.message);
    });
    worker.on("error", (error) => options.onEnd?.(error as Error));
    // It has work only while the server has: it keeps no process alive by itself.
    worker.unref();
  }

  record(change: Change): void {
    if (!this.#durable) {
      this.#noteFences(change);
      return;
    }
    this.#changes.push(change);
    this.#schedule();
  }

  settled(): Promise<void> | null {
    const last = this.#scheduled ? this.#number : this.#number - 1;
    if (!this.#durable || this.#settled >= last) return null;
    if (this.#waiting?.entry.number === last) return this.#waiting.promise;
    const { promise, resolve } = Promise.withResolvers<void>();
    const entry = { number: last, resolve };
    this.#waiting = { promise, entry };
    this.#waits.push(entry);
    return promise;
  }

  readFile(path: string): Promise<StoredFile | null> {
    return this.#ask((id) => ({ kind: "read", id, path }));
  }

  statFile(path: string): Promise<FileInfo | null> {
    return this.#ask((id) => ({ kind: "stat", id, path }));
  }

  writeFile(path: string, file: NewFile, conditions: FileConditions): Promise<FileResult> {
    return this.#ask((id) => ({ kind: "write", id, path, file, conditions }));
  }

  deleteFile(path: string, conditions: FileConditions): Promise<FileResult> {
    return this.#ask((id) => ({ kind: "delete", id, path, conditions }));
  }

  close(): Promise<void> {
    this.#closed ??= new Promise((resolve) => {
      this.#worker.ref();
      this.#worker.once("exit", () => resolve());
      this.#send({ close: true });
    });
    return this.#closed;
  }

  #ask<T extends FileAnswer>(make: (id: number) => FileRequest): Promise<T> {
    this.#requests += 1;
    const id = this.#requests;
    this.#files.push(make(id));
    this.#schedule();
    return new Promise((resolve) => {
      this.#answers.set(id, (answer) => resolve(answer as T));
    });
  }

  /** Notes fences for a storage in memory: only they are of use there, when a file is written, and go over with it. */
  #noteFences(change: Change): void {
    if (change.kind === "granted") this.#fences.set(change.lease.key, change.lease.fence);
    if (change.kind === "fences") {
      for (const [key, fence] of change.fences) this.#fences.set(key, fence);
    }
    if (this.#fences.size > FENCES_AT_ONCE) this.#schedule();
  }

  /** Sends at the end of this turn of the loop, so that all it brings goes over in one message. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      if (this.#scheduled) this.#send();
    });
  }

  #send(more: Pick<Order, "close"> = {}): void {
    if (this.#fences.size > 0) {
      this.#changes.push({ kind: "fences", fences: this.#fences });
      this.#fences = new Map();
    }
    const order: Order = {
      number: this.#number,
      changes: this.#changes,
      files: this.#files,
      ...more,
    };
    this.#scheduled = false;
    this.#number += 1;
    this.#changes = [];
    this.#files = [];
    this.#worker.postMessage(order);
  }

  #onSettled({ number, answers }: Extract<Notice, { kind: "settled" }>): void {
    this.#settled = number;
    let done = 0;
    while (done < this.#waits.length && (this.#waits[done] as Waiting).number <= number) {
      (this.#waits[done] as Waiting).resolve();
      done += 1;
    }
    this.#waits.splice(0, done);
    for (const { id, answer } of answers) {
      this.#answers.get(id)?.(answer);
      this.#answers.delete(id);
    }
  }
}
