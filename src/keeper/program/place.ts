import type { LockError } from "../../lock/errors.ts";
import type { Lease, Progress } from "../../lock/store.ts";
import { Readiness } from "../../lock/time.ts";
import { randomHex } from "../../machine/random.ts";
import { failureOf, type Task } from "../protocol.ts";
import type { KeeperLog } from "./log.ts";
import { PublishedLease } from "./published-lease.ts";
import type { WatchedJob } from "./watch-job.ts";

/** A look at the place is answered when something changes, and after so long at the latest. */
const LOOK_MS = 5_000;
/**
 * The process that takes the place asks again and again. After such a silence it has ended, and the
 * place ends too.
 */
const SILENCE_MS = 20_000;

/**
 * A place in line, as other processes of the job find it: a lease file that says `waiting`, and the
 * keeper's socket, by which the place is taken or left. Once the lock is granted, file and socket are
 * those of the held lock.
 */
export class KeptPlace {
  readonly ready = new Readiness();
  readonly published: PublishedLease;
  readonly #token = randomHex(16);
  readonly #gone = new AbortController();
  readonly #over = Promise.withResolvers<void>();
  readonly #waiting = new Set<() => void>();
  #progress: Progress | null = null;
  #changes = 0;
  #asked = 0;
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;
  #end: Record<string, unknown> | null = null;

  constructor(task: Task, log: KeeperLog) {
    const { key, owner, ttl = 0 } = task.request;
    const keys = [key, ...(task.also ?? [])];
    const since = new Date().toISOString();
    const place = { store: task.store, owner: owner.id, fence: null, slot: 0, slots: [] };
    const unheld = { ...place, resources: null, since, ttl: ttl / 1_000, waited: 0 };
    const leases = keys.map((each): Lease => ({ ...unheld, key: each, token: this.#token }));
    this.published = new PublishedLease(task, leases as [Lease, ...Lease[]], log, "waiting");
  }

  /** Fires when the place was left, or when the process that was taking it has ended. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** The claim stands in line: from now on the place can be found. */
  async open(job: WatchedJob): Promise<void> {
    this.#isOpen = true;
    this.published.write();
    await this.published.serve((request) => this.#answer(request));
    this.published.watch(job, () => this.leave());
  }

  readonly update = (progress: Progress): void => {
    this.#progress = progress;
    this.#changed();
  };

  /** Leaves the line. */
  leave(): void {
    this.#gone.abort();
  }

  /** Whether it was ever published. Before that only the starter knows of the claim. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** The lock is held: from now on processes find it in the lease file. */
  held(): void {
    this.#settle({ state: "held" });
  }

  /** The claim is over without the lock. Where it was not left on purpose, the lease file tells why. */
  over(error: LockError): void {
    this.published.rest();
    const failure = failureOf(error);
    if (error.code === "ABORTED") this.published.remove();
    else this.published.tellLoss(error.message, failure);
    this.#settle({ state: "lost", failure });
    this.published.removeSocket();
    this.published.close();
  }

  #settle(end: Record<string, unknown>): void {
    clearInterval(this.#timer);
    this.#end = end;
    this.#over.resolve();
    this.#changed();
  }

  async #answer(request: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (request.token !== this.#token) return { error: "wrong token" };
    switch (request.op) {
      case "status":
        return { state: "waiting" };
      case "verify":
        return { held: false };
      case "release":
        this.leave();
        await this.#over.promise;
        return { outcome: "released" };
      case "take":
        this.#take(typeof request.timeout === "number" ? request.timeout : null);
        return this.#state();
      case "look":
        return this.#look(Number(request.seen));
      default:
        return { error: "unknown request" };
    }
  }

  #take(timeout: number | null): void {
    this.#asked = performance.now();
    this.#timer ??= setInterval(() => {
      if (performance.now() - this.#asked > SILENCE_MS) this.leave();
    }, LOOK_MS);
    // It was told of each key, and only the one that is taken is waited for.
    if (this.#progress?.key !== undefined) this.#progress = null;
    this.ready.declare(timeout);
  }

  async #look(seen: number): Promise<Record<string, unknown>> {
    this.#asked = performance.now();
    if (this.#end === null && seen === this.#changes) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.add(resolve);
      const timer = setTimeout(resolve, LOOK_MS);
      await promise;
      clearTimeout(timer);
      this.#waiting.delete(resolve);
      this.#asked = performance.now();
    }
    return this.#state();
  }

  #state(): Record<string, unknown> {
    return this.#end ?? { state: "waiting", seen: this.#changes, progress: this.#progress };
  }

  #changed(): void {
    this.#changes += 1;
    for (const wake of this.#waiting) wake();
  }
}
