import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../lock/errors.ts";
import type { Holding } from "../../lock/store.ts";
import { openProcesses } from "../../machine/processes.ts";
import { isDocumentStore } from "../../stores/open.ts";
import type { StoreOptions } from "../../stores/options.ts";
import { type LeaseFile, removeLeaseFile, writeLeaseFile } from "../lease-file.ts";
import type { Task } from "../protocol.ts";
import {
  type Answerer,
  type KeeperSocket,
  removeSocket,
  serveSocket,
  socketPath,
} from "../socket.ts";
import type { KeeperLog } from "./log.ts";

/** A held lock as other processes of the job find it: a lease file, and the keeper's socket. */
export class PublishedLease {
  readonly #path: string;
  readonly #log: KeeperLog;
  #file: LeaseFile;
  #socket: KeeperSocket | null = null;
  #answer: Answerer | null = null;
  #misses = 0;

  /** Nothing is written yet. */
  constructor(task: Task, holding: Holding, log: KeeperLog) {
    const { watched, job, leaseFile } = task;
    const storeOptions = publicOptions(task.store, task.storeOptions);
    const { self: keeper } = openProcesses({ sharedFilesystem: false });
    const socket = socketPath(leaseFile);
    const detached = task.request.refresh === false;
    const kept = { state: "held", keeper, watched, detached, job, socket, storeOptions } as const;
    this.#path = leaseFile;
    this.#log = log;
    this.#file = { ...holding.lease, version: 1, ...kept };
  }

  write(): void {
    writeLeaseFile(this.#path, this.#file);
  }

  /** Answers at the socket. Where that fails the lock is held all the same, and released without the keeper. */
  async serve(answer: Answerer): Promise<void> {
    this.#answer = answer;
    try {
      this.#socket = await serveSocket(this.#file.socket, answer);
    } catch (error) {
      this.#log.write(`cannot be asked: ${messageOf(error)}`);
    }
  }

  /** Looks for the file. True where it was missing twice in a row: a runner that removes all is then done. */
  isMissing(): boolean {
    this.#misses = existsSync(this.#path) ? 0 : this.#misses + 1;
    return this.#misses >= 2;
  }

  /** Makes file and socket again, after a step of the job has removed them. Throws where the job's directory is gone. */
  async restore(): Promise<void> {
    const directory = dirname(this.#path);
    if (!existsSync(directory)) mkdirSync(directory, { mode: 0o700 });
    this.#log.write("its lease file was removed, and is made again");
    if (!existsSync(this.#file.socket) && this.#answer !== null) {
      this.#socket?.close();
      this.#file = { ...this.#file, socket: socketPath(this.#path) };
      await this.serve(this.#answer);
    }
    this.write();
  }

  /** Leaves the file behind, with a loss to tell. */
  tellLoss(reason: string): void {
    const lost = { at: new Date().toISOString(), reason };
    writeLeaseFile(this.#path, { ...this.#file, state: "lost", lost });
  }

  remove(): void {
    removeLeaseFile(this.#path);
  }

  removeSocket(): void {
    removeSocket(this.#file.socket);
  }

  /** Stops answering; an answer that is under way is still written. */
  close(): void {
    this.#socket?.close();
  }
}

/**
 * The options of a store as other processes of the job may read them. The password of an engine is
 * left out, and so is the forge's token: whoever needs the store asks the keeper.
 */
function publicOptions(store: string, options: StoreOptions): StoreOptions {
  const { life: _life, forgeToken: _forgeToken, token, ...rest } = options;
  return token === undefined || isDocumentStore(store) ? rest : { ...rest, token };
}
