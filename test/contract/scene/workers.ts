import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { LockError, SupersededError } from "../../../src/lock/errors.ts";
import type { Progress } from "../../../src/lock/store.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";
import type {
  CommandArguments,
  CommandName,
  CommandResult,
  Failure,
  Message,
  Request,
} from "./protocol.ts";

const PROGRAM = fileURLToPath(new URL("worker.ts", import.meta.url));

export interface WorkerPlace {
  readonly url: string;
  readonly options: StoreOptions;
  readonly env: Readonly<Record<string, string>>;
  readonly history: string;
  /** Empty: the store has a scheme. */
  readonly opener: string;
}

/** A real process with the store open, as seen from the test. */
export class Worker {
  readonly #child: ChildProcess;
  readonly #events = new EventEmitter();
  readonly #losses = new Map<string, Failure>();
  readonly progress = new Map<string, Progress[]>();
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #requests = 0;

  private constructor(place: WorkerPlace) {
    const { url, options, env, history, opener } = place;
    const args = [PROGRAM, url, JSON.stringify(options), history, opener];
    this.#child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, ...env },
    });
    this.#events.setMaxListeners(0);
    // Writing to a process that was just killed is part of some tests.
    this.#child.stdin?.on("error", () => {});
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("a worker has no standard output");
    createInterface({ input: stdout }).on("line", (line) => this.#hear(JSON.parse(line)));
    this.exited = once(this.#child, "close").then(([code, signal]) => {
      this.#events.emit("gone");
      return { code, signal };
    });
  }

  static async start(place: WorkerPlace): Promise<Worker> {
    const worker = new Worker(place);
    const gone = worker.exited.then(() => {
      throw new Error("a worker ended before it was ready");
    });
    await Promise.race([once(worker.#events, "ready"), gone]);
    return worker;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Sends a command and resolves with its result, or rejects with the LockError that it ended in. */
  async tell<N extends CommandName>(name: N, args: CommandArguments<N>): Promise<CommandResult<N>> {
    const id = ++this.#requests;
    const request: Request = { id, name, arguments: args };
    const answered = new Promise<CommandResult<N>>((resolve, reject) => {
      this.#events.once("gone", () => reject(new Error(`the worker ended during ${name}`)));
      this.#events.once(`answer ${id}`, (message: { result: unknown } | { failure: Failure }) => {
        if ("failure" in message) reject(errorOf(message.failure));
        else resolve(message.result as CommandResult<N>);
      });
    });
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    return answered;
  }

  /** Resolves when the holding's `lost` has fired, with its reason. */
  async lost(as: string): Promise<Failure> {
    for (;;) {
      const failure = this.#losses.get(as);
      if (failure !== undefined) return failure;
      await once(this.#events, "lost");
    }
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** kill -9, and waits until it is gone. */
  async kill(): Promise<void> {
    this.signal("SIGKILL");
    await this.exited;
  }

  /** Asks it to close the store and waits for its own end. */
  finish(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    this.#child.stdin?.end();
    return this.exited;
  }

  #hear(message: Message): void {
    if ("id" in message) this.#events.emit(`answer ${message.id}`, message);
    else if (message.event === "progress") {
      const known = this.progress.get(message.as) ?? [];
      this.progress.set(message.as, [...known, message.progress]);
      this.#events.emit("progress");
    } else if (message.event === "lost") {
      this.#losses.set(message.as, message.failure);
      this.#events.emit("lost");
    } else this.#events.emit(message.event);
  }

  /** Resolves with the first progress report of a claim, or the first that is as it should be. */
  async firstProgress(
    as: string,
    isWanted: (progress: Progress) => boolean = () => true,
  ): Promise<Progress> {
    for (;;) {
      const first = this.progress.get(as)?.find(isWanted);
      if (first !== undefined) return first;
      await once(this.#events, "progress");
    }
  }
}

function errorOf(failure: Failure): Error {
  if (failure.superseded !== undefined)
    return new SupersededError(failure.message, failure.superseded);
  return failure.code === "NOT_A_LOCK_ERROR"
    ? new Error(failure.message)
    : new LockError(failure.code, failure.message);
}
