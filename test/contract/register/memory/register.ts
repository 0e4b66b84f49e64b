import { setTimeout as delay } from "node:timers/promises";
import { LockError } from "../../../../src/lock/errors.ts";
import type {
  AliveSessions,
  CallOptions,
  ChangedOptions,
  ReadOptions,
  Register,
  RegisterTraits,
  Session,
  Swap,
  Version,
} from "../../../../src/stores/engines/register.ts";
import { type Own, sessionOn } from "../../../../src/stores/engines/sessions.ts";
import { ServerClock } from "../../../../src/stores/remote/server-clock.ts";

/** What may go wrong with a register in memory. Each is asked before every call. */
export interface Faults {
  /** Milliseconds that a call takes. */
  latency?: () => number;
  /** The answer of a swap gets lost: after it stood, or before it arrived. */
  lose?: () => "stands" | "never" | null;
  /** Milliseconds that the answer of a swap takes after it stood. */
  late?: () => number;
  /** By how many states a read that is not strong lags behind. */
  lag?: () => number;
  /** Nobody answers. */
  away?: (call: string) => boolean;
}

export interface MemoryOptions {
  /** False: its answers tell no time. */
  readonly clock?: boolean;
  readonly push: boolean;
  /** It keeps signs of life. */
  readonly signs: boolean;
  readonly faults?: Faults;
  readonly backoff?: readonly [number, number];
}

/** How often it was called, by the name of the call. */
export interface Calls {
  reads: number;
  strongReads: number;
  swaps: number;
  signs: number;
}

const LEAST_DEAD_AFTER_MS = 500;

/** What several registers in memory share: the documents, and who lives. */
export class Memory {
  readonly states = new Map<string, { version: string; text: string }[]>();
  /** Until when each session lives. */
  readonly sessions = new Map<string, number>();
  readonly #watchers = new Set<() => void>();
  #versions = 0;

  current(key: string, lag = 0): Version {
    const states = this.states.get(key) ?? [];
    const place = states.length - 1 - lag;
    return place < 0 ? { version: null, text: null } : (states[place] as Version);
  }

  swap(key: string, version: string | null, text: string): Swap {
    if (this.current(key).version !== version) return { outcome: "conflict" };
    const next = { version: `v${++this.#versions}`, text };
    this.states.set(key, [...(this.states.get(key) ?? []).slice(-10), next]);
    for (const wake of [...this.#watchers]) wake();
    return { outcome: "done", version: next.version };
  }

  /** Resolves with the next change of any key. */
  watch(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        this.#watchers.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#watchers.add(wake);
      signal.addEventListener("abort", wake);
    });
  }
}

/** A register in memory, for tests. */
export class MemoryRegister implements Register {
  readonly url: string;
  readonly traits: RegisterTraits;
  readonly calls: Calls = { reads: 0, strongReads: 0, swaps: 0, signs: 0 };
  readonly faults: Faults;
  readonly clock?: ServerClock;
  readonly #memory: Memory;

  constructor(memory: Memory, options: MemoryOptions) {
    this.#memory = memory;
    this.url = "memory:";
    this.traits = {
      push: options.push,
      backoff: options.backoff ?? [2, 20],
      ...(options.signs ? { signs: { leastDeadAfter: LEAST_DEAD_AFTER_MS } } : {}),
    };
    this.faults = options.faults ?? {};
    if (options.clock !== false) this.clock = new ServerClock();
  }

  async read(key: string, options: ReadOptions = {}): Promise<Version> {
    if (options.strong) this.calls.strongReads++;
    else this.calls.reads++;
    const sentAt = performance.now();
    await this.#arrive("read", options);
    this.clock?.heard(Date.now(), sentAt);
    return this.#memory.current(key, options.strong ? 0 : (this.faults.lag?.() ?? 0));
  }

  async swap(
    key: string,
    version: string | null,
    next: string,
    options: CallOptions = {},
  ): Promise<Swap> {
    this.calls.swaps++;
    await this.#arrive("swap", options);
    const lost = this.faults.lose?.() ?? null;
    if (lost === "never") return { outcome: "unknown", why: "the request was lost" };
    const swap = this.#memory.swap(key, version, next);
    await delay(this.faults.late?.() ?? 0);
    return lost === null ? swap : { outcome: "unknown", why: "the answer was lost" };
  }

  async changed(key: string, version: string | null, options: ChangedOptions): Promise<void> {
    const { pause, signal } = options;
    const end = AbortSignal.timeout(Math.ceil(pause));
    const both = signal === undefined ? end : AbortSignal.any([end, signal]);
    if (!this.traits.push) await delay(pause, undefined, { signal: both }).catch(() => {});
    else
      while (!both.aborted && this.#memory.current(key).version === version)
        await this.#memory.watch(both);
    signal?.throwIfAborted();
  }

  async keys(options: CallOptions = {}): Promise<string[]> {
    await this.#arrive("keys", options);
    return [...this.#memory.states.keys()];
  }

  session(id: string, deadAfter: number): Session {
    const { sessions } = this.#memory;
    const own: Own = { id, deadAfter, stage: "new" };
    const renew: Session["renew"] = async (options = {}) => {
      this.calls.signs++;
      await this.#arrive("renew", options);
      sessions.set(id, performance.now() + deadAfter);
    };
    const end: Session["end"] = async (options = {}) => {
      await this.#arrive("end", options);
      sessions.delete(id);
    };
    return sessionOn(this, own, { begin: renew, renew, end });
  }

  async alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    await this.#arrive("alive", options);
    const { sessions } = this.#memory;
    if (this.traits.signs === undefined) return new Map();
    return new Map(ids.map((id) => [id, (sessions.get(id) ?? 0) > performance.now()]));
  }

  async close(): Promise<void> {}

  async #arrive(call: string, { signal }: CallOptions): Promise<void> {
    const latency = this.faults.latency?.() ?? 0;
    if (latency > 0) await delay(latency, undefined, signal === undefined ? {} : { signal });
    signal?.throwIfAborted();
    if (this.faults.away?.(call))
      throw new LockError("STORE_UNREACHABLE", "The register in memory does not answer.");
  }
}
