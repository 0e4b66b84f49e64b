import { join } from "node:path";
import type { ClaimRequest, Progress, Store, StorePromises } from "../../../src/lock/store.ts";
import type { StoreOptions } from "../../../src/stores/options.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { until } from "../../helpers/waiting.ts";
import { Checker, type Verdict } from "../../history/checker.ts";
import { type Event, HistoryWriter, now, readHistory } from "../../history/event.ts";
import { openBy } from "./opener.ts";
import type { Granted } from "./protocol.ts";
import { Worker } from "./workers.ts";

/** What a store cannot do, it declares; the tests that need it are then left out. */
export interface ContractLimits {
  readonly promises: StorePromises;
  /** `break` can take a lock from its holder. */
  readonly breaks: boolean;
  /** `cover` can keep a lock held for another process. */
  readonly covers: boolean;
  /** `inspect` names the waiters; otherwise it only counts them. */
  readonly namesWaiters: boolean;
  /** `list({ all: true })` also shows free keys. */
  readonly remembersKeys: boolean;
  /** `freeze` and `thaw`; otherwise they are missing, or answer NOT_SUPPORTED. */
  readonly freezes: boolean;
  /** `line: newest`; otherwise such a claim is NOT_SUPPORTED. */
  readonly newest: boolean;
  /** Claims with a `run`; otherwise such a claim is NOT_SUPPORTED. */
  readonly runs: boolean;
  /**
   * Weights, priorities, names of slots, freezing one of them, and places in line (`join`). False: such
   * a claim is NOT_SUPPORTED. Left out: it has them.
   */
  readonly shares?: boolean;
  /** A holder that does not refresh for a whole ttl loses its lock, though its process exists. */
  readonly expires: boolean;
  /** `inspect` shows the ttl that was asked for; otherwise what counts in its place, such as a lease. */
  readonly tellsTtl: boolean;
  /**
   * False: `inspect` cannot say of a claim whether it lives, and so counts a dead one in line until
   * its turn has come. Left out: it can.
   */
  readonly knowsLives?: boolean;
  /**
   * Where a store learns of a dead process only from its silence: how soon, as the `deadAfter` of all
   * claims, in milliseconds. Left out: it notices at once.
   */
  readonly deadAfter?: number;
  /** How often a process takes what others want too; less where a claim is slow. */
  readonly rounds?: number;
}

/** A fresh store, empty, for one test. */
export interface ContractPlace {
  readonly url: string;
  /** Plain JSON: other processes get the same. */
  readonly options?: StoreOptions;
  /**
   * A module whose `open(url, options)` opens the store, where no scheme leads to it. Its URL.
   */
  readonly opener?: string;
  /** For processes that open the store. */
  readonly env?: Readonly<Record<string, string>>;
  /** All that the store has kept, in any form that can be compared. */
  traces(): Promise<unknown>;
  cleanup?(): Promise<void>;
}

export interface ContractFactory {
  readonly limits: ContractLimits;
  create(): Promise<ContractPlace>;
}

export const KEY = "production";

/** Windows can end a process, but not stop one for a while. */
export const CAN_STOP = process.platform !== "win32";

export type ClaimExtras = Partial<Omit<ClaimRequest, "owner">> & { timeout?: number | null };

/** One test's stage: a store, processes that use it, and a history of who held when. */
export class Scene {
  readonly limits: ContractLimits;
  readonly #create: () => Promise<ContractPlace>;
  #place: ContractPlace | null = null;
  #directory = "";
  #workers: Worker[] = [];
  #stores: Store[] = [];
  #history: HistoryWriter | null = null;

  constructor(factory: ContractFactory) {
    this.limits = factory.limits;
    this.#create = () => factory.create();
  }

  async begin(): Promise<void> {
    this.#directory = temporaryDirectory();
    this.#history = new HistoryWriter(this.#historyPath);
    this.#place = await this.#create();
  }

  async end(): Promise<void> {
    await Promise.all(this.#workers.splice(0).map((worker) => worker.kill()));
    for (const store of this.#stores.splice(0)) await store.close();
    this.#history?.close();
    await this.place.cleanup?.();
  }

  get place(): ContractPlace {
    if (this.#place === null) throw new Error("the scene has not begun");
    return this.#place;
  }

  get #historyPath(): string {
    return join(this.#directory, "history.jsonl");
  }

  /** kill -9 of the process that has this name in the history. */
  async kill(worker: Worker, name: string): Promise<void> {
    const tell = () => this.#history?.write({ at: now(), process: name, event: "kill" });
    tell();
    const gone = worker.kill();
    // It may have begun a claim between the first word and the signal.
    tell();
    await gone;
    this.#history?.write({ at: now(), process: name, event: "ended" });
  }

  /** For claims, where the store needs it. */
  get deadAfter(): { deadAfter?: number } {
    const { deadAfter } = this.limits;
    return deadAfter === undefined ? {} : { deadAfter };
  }

  /** The store, open in the test's own process. */
  async open(): Promise<Store> {
    const { url, options = {}, opener } = this.place;
    const store = await openBy(opener, url, options);
    this.#stores.push(store);
    return store;
  }

  workers(count: number): Promise<Worker[]> {
    return this.#start(count, {});
  }

  /**
   * Workers of which some die. A store that knows of a death by silence alone waits for a short one
   * only here: elsewhere a busy machine would be taken for a dead process.
   */
  mortals(count: number): Promise<Worker[]> {
    return this.#start(count, { HOLDFAST_TEST_DEATHS: "1" });
  }

  async #start(count: number, extra: Readonly<Record<string, string>>): Promise<Worker[]> {
    const { url, options = {}, opener = "" } = this.place;
    const env = { ...this.place.env, ...extra };
    const place = { url, options, env, history: this.#historyPath, opener };
    const started = await Promise.all(Array.from({ length: count }, () => Worker.start(place)));
    this.#workers.push(...started);
    return started;
  }

  async worker(): Promise<Worker> {
    const [worker] = await this.workers(1);
    return worker as Worker;
  }

  request(as: string, extras: Omit<ClaimExtras, "timeout"> = {}): ClaimRequest {
    return { key: KEY, owner: { id: as, metadata: {} }, ...this.deadAfter, ...extras };
  }

  /** `as` is the claim's owner, and its name in the history and in later commands. */
  claim(worker: Worker, as: string, extras: ClaimExtras = {}): Promise<Granted> {
    const { timeout = null, ...request } = extras;
    const claimed = worker.tell("claim", { request: this.request(as, request), as, timeout });
    // A test that ends early kills its workers: what they still waited for is nobody's concern.
    claimed.catch(() => {});
    return claimed;
  }

  /** Joins the line without taking the lock; `take` is told to the same worker. */
  join(worker: Worker, as: string, extras: Omit<ClaimExtras, "timeout"> = {}): Promise<Progress> {
    return worker.tell("join", { request: this.request(as, extras), as });
  }

  /** Takes the place that was joined with the same extras. */
  take(worker: Worker, as: string, extras: ClaimExtras = {}): Promise<Granted> {
    const { timeout = null, ...request } = extras;
    const taken = worker.tell("take", { request: this.request(as, request), as, timeout });
    taken.catch(() => {});
    return taken;
  }

  /** Resolves when that many claims stand in line. */
  async inLine(count: number, key = KEY): Promise<void> {
    const store = await this.open();
    await until(async () => (await store.inspect(key)).waiting === count);
  }

  events(): Event[] {
    return readHistory(this.#historyPath);
  }

  /** Who got the lock, in order. */
  entered(): string[] {
    return this.events().flatMap(({ event, process }) => (event === "granted" ? process : []));
  }

  /**
   * What the checker of histories says of all claims of the test. Where several slots are free and
   * nobody is woken, as many of the first in line as there are slots take theirs in any order.
   */
  verdict(slots = 1): Verdict {
    const { promises } = this.limits;
    const fair = promises.fair && (promises.push || slots === 1);
    const checker = new Checker({ tellWithin: 0, fair });
    for (const event of this.events()) checker.follow(event);
    return checker.verdict();
  }
}
