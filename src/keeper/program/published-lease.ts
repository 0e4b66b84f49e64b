import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../lock/errors.ts";
import type { Lease } from "../../lock/store.ts";
import { openProcesses } from "../../machine/processes.ts";
import { type KeptLease, type LeaseFile, removeLeaseFile, writeLeaseFile } from "../lease-file.ts";
import { publicOptions } from "../leases.ts";
import type { Failure, Task } from "../protocol.ts";
import {
  type Answerer,
  type KeeperSocket,
  removeSocket,
  serveSocket,
  socketPath,
} from "../socket.ts";
import type { KeeperLog } from "./log.ts";
import type { WatchedJob } from "./watch-job.ts";

/** How often the keeper looks for its lease file. */
const LOOK_MS = 1_000;
/** How many looks in a row must miss it: a runner that removes the directory is then done. */
const MISSES = 2;

/**
 * A lock, or a place in line for it, as other processes of the job find it: a lease file, and the
 * keeper's socket.
 */
export class PublishedLease {
  readonly #path: string;
  readonly #log: KeeperLog;
  #file: KeptLease;
  #socket: KeeperSocket | null = null;
  #answer: Answerer | null = null;
  #misses = 0;
  #looking: NodeJS.Timeout | undefined;

  /** Nothing is written yet. `leases`: of each key, as written. */
  constructor(
    task: Task,
    leases: readonly [Lease, ...Lease[]],
    log: KeeperLog,
    state: LeaseFile["state"] = "held",
  ) {
    const { watched, job, leaseFile } = task;
    const storeOptions = publicOptions(task.store, task.storeOptions);
    const { self: keeper } = openProcesses({ sharedFilesystem: false });
    const socket = socketPath(leaseFile);
    const detached = task.request.refresh === false;
    const kept = { state, keeper, watched, detached, job, socket, storeOptions } as const;
    this.#path = leaseFile;
    this.#log = log;
    this.#file = { ...kept, version: 1, ...fieldsOf(leases) };
  }

  /** The lock is held now, under the same file and socket. */
  hold(leases: readonly [Lease, ...Lease[]]): void {
    this.#file = { ...this.#file, ...fieldsOf(leases), state: "held" };
  }

  write(): void {
    writeLeaseFile(this.#path, this.#file);
  }

  /** Answers at the socket. If that fails the lock is still held, and later released without the keeper. */
  async serve(answer: Answerer): Promise<void> {
    const isServed = this.#answer !== null && this.#socket !== null;
    this.#answer = answer;
    if (isServed) return;
    const ask: Answerer = async (request) => (this.#answer ?? answer)(request);
    try {
      this.#socket = await serveSocket(this.#file.socket, ask);
    } catch (error) {
      this.#log.write(`cannot be asked: ${messageOf(error)}`);
    }
  }

  /**
   * Looks for the file again and again, until `rest`. A step that empties RUNNER_TEMP removes it, and
   * so does a runner before its next job. Where the job's end shows otherwise, it was a step, and the
   * file is made again. In a container job it may not show: then it is `gone`, since no process could
   * ask the keeper any more.
   */
  watch({ isCertain }: Pick<WatchedJob, "isCertain">, gone: () => void): void {
    this.rest();
    this.#looking = setInterval(() => {
      this.#misses = existsSync(this.#path) ? 0 : this.#misses + 1;
      if (this.#misses < MISSES) return;
      if (isCertain) void this.#restore().catch(() => {});
      else gone();
    }, LOOK_MS);
  }

  /** Looks for the file no more. */
  rest(): void {
    clearInterval(this.#looking);
  }

  /**
   * Makes file and socket again, after a step of the job has removed them. Throws where the job's
   * directory is gone.
   */
  async #restore(): Promise<void> {
    const directory = dirname(this.#path);
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    this.#log.write("its lease file was removed, and is made again");
    if (!existsSync(this.#file.socket) && this.#answer !== null) {
      this.#socket?.close();
      this.#socket = null;
      this.#file = { ...this.#file, socket: socketPath(this.#path) };
      await this.serve(this.#answer);
    }
    this.write();
  }

  /** Leaves the file behind, with a loss to tell. The first loss is the one that counts. */
  tellLoss(reason: string, failure?: Failure): void {
    const at = new Date().toISOString();
    const lost = this.#file.lost ?? { at, reason, ...(failure && { failure }) };
    this.#file = { ...this.#file, state: "lost", lost };
    this.write();
  }

  remove(): void {
    removeLeaseFile(this.#path);
  }

  removeSocket(): void {
    removeSocket(this.#file.socket, this.#path);
  }

  /** Stops answering; an answer that is under way is still written. */
  close(): void {
    this.#socket?.close();
  }
}

function fieldsOf([first, ...also]: readonly [Lease, ...Lease[]]) {
  return { ...first, ...(also.length === 0 ? {} : { also }) };
}
