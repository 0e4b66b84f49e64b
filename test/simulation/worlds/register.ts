import { LockError } from "../../../src/lock/errors.ts";
import type {
  AliveSessions,
  CallOptions,
  ChangedOptions,
  ReadOptions,
  Register,
  RegisterTraits,
  Session,
  Swap,
  SwapOptions,
  Version,
} from "../../../src/stores/engines/register.ts";
import { type Own, sessionOn } from "../../../src/stores/engines/sessions.ts";
import { ServerClock } from "../../../src/stores/remote/server-clock.ts";
import type { Actor } from "../clockwork/actor.ts";
import type { Engine } from "./engine.ts";

/** What an engine can do. */
export interface Abilities {
  readonly push: boolean;
  readonly signs: boolean;
  readonly conditional: boolean;
}

/** Part of the calls whose answer gets lost, and part of those that arrive only when nobody waits. */
const LOST = 1 / 60;
const LATE = 1 / 120;
/** How late. */
const LATE_MS = 30_000;
/** Part of the reads that lag behind, and how far at most. */
const LAGS = 1 / 8;
const LAG_MS = 10_000;
/** A call that is not answered is given up after this. */
const PATIENCE_MS = 7_000;
const LEAST_DEAD_AFTER_MS = 1_000;

/** The register of one process, with everything that can happen between it and the engine. */
export class SimulatedRegister implements Register {
  readonly url = "simulated:";
  readonly traits: RegisterTraits;
  readonly clock?: ServerClock;
  /** How long the answer was on its way that last told the engine's time. */
  #lag = 0;
  readonly #engine: Engine;
  readonly #actor: Actor;

  constructor(engine: Engine, actor: Actor, { push, signs, conditional }: Abilities) {
    this.#engine = engine;
    this.#actor = actor;
    if (engine.clock !== null && !engine.clock.deaf.has(actor.host)) this.clock = new ServerClock();
    this.traits = {
      push,
      backoff: push ? [5, 100] : [250, 4_000],
      conditional,
      ...(signs ? { signs: { leastDeadAfter: LEAST_DEAD_AFTER_MS } } : {}),
    };
  }

  read(key: string, options: ReadOptions = {}): Promise<Version> {
    const { random } = this.#engine;
    const lag = options.strong || random() > LAGS ? 0 : LAG_MS * random() ** 2;
    return this.#call("read", options, () => this.#engine.read(key, lag));
  }

  async swap(
    key: string,
    version: string | null,
    next: string,
    options: SwapOptions = {},
    own?: Own,
  ): Promise<Swap> {
    const { needs = [], ends = false } = options;
    const engine = this.#engine;
    const writer = {
      basedOn: engine.universe.now - this.#lag,
      hears: this.clock !== undefined,
    };
    const lost: Swap = { outcome: "unknown", why: "the answer was lost" };
    return this.#call(
      "swap",
      options,
      () => {
        if (!needs.every((id) => engine.isAlive(id))) return { outcome: "conflict" };
        const swap = engine.swap(key, version, next, writer);
        if (swap.outcome === "done" && ends && own !== undefined) engine.end(own.id);
        return swap;
      },
      lost,
    );
  }

  async changed(key: string, version: string | null, options: ChangedOptions): Promise<void> {
    const { universe, random } = this.#engine;
    const { pause, signal } = options;
    const woken = Promise.withResolvers<void>();
    const ring = () => woken.resolve();
    const jitter = this.traits.push ? 1 : 1 - 0.2 * random();
    const timer = universe.plan(pause * jitter, this.#actor, "pause", ring);
    signal?.addEventListener("abort", ring, { once: true });
    const unwatch = this.traits.push ? this.#watch(key, version, ring) : () => {};
    await woken.promise;
    timer.isCancelled = true;
    unwatch();
    signal?.removeEventListener("abort", ring);
    signal?.throwIfAborted();
  }

  keys(options: CallOptions = {}): Promise<string[]> {
    return this.#call("keys", options, () => this.#engine.keys);
  }

  session(id: string, deadAfter: number): Session {
    const engine = this.#engine;
    const own: Own = { id, deadAfter, stage: "new" };
    const renew = (options: CallOptions = {}) =>
      this.#call("renew", options, () => engine.renew(id, deadAfter));
    const end = (options: CallOptions = {}) => this.#call("end", options, () => engine.end(id));
    return sessionOn(this, own, { begin: renew, renew, end });
  }

  alive(ids: readonly string[], options: CallOptions = {}): Promise<AliveSessions> {
    const engine = this.#engine;
    const effect = () => new Map(ids.map((id) => [id, engine.isAlive(id)]));
    return this.#call("alive", options, effect);
  }

  async close(): Promise<void> {}

  /** A change that happens while the network is cut is not heard of. */
  #watch(key: string, version: string | null, ring: () => void): () => void {
    const engine = this.#engine;
    const { host } = this.#actor;
    let isOver = false;
    let end = () => {};
    engine.universe.plan(engine.delay(host), null, "watch", () => {
      if (isOver || engine.cutFor(host) > 0) return;
      end = engine.watch(key, version, () => {
        if (engine.cutFor(host) > 0) return;
        engine.universe.plan(engine.delay(host), this.#actor, "woken", ring);
      });
    });
    return () => {
      isOver = true;
      end();
    };
  }

  /** An answer of the engine's has come, which tells its time as it was when it was given. */
  #hear(at: number, time: number, sentAt: number): void {
    const { clock, universe } = this.#engine;
    if (clock === null || this.clock === undefined || this.clock.age < clock.every) return;
    const { precision } = clock;
    const told = precision === 0 ? time : Math.floor(time / precision) * precision;
    this.clock.heard(told, sentAt, precision);
    this.#lag = universe.now - at;
  }

  /** One call: there, its effect, and back. `lost`: what a call means whose answer does not come. */
  #call<T>(kind: string, { signal }: CallOptions, effect: () => T, lost?: T): Promise<T> {
    const engine = this.#engine;
    const { universe, random } = engine;
    const { host } = this.#actor;
    const answer = Promise.withResolvers<T>();
    if (signal?.aborted) return Promise.reject(signal.reason);
    const cancel = () => answer.reject(signal?.reason);
    signal?.addEventListener("abort", cancel, { once: true });
    const isRefused = engine.isRefusing();
    if (isRefused)
      universe.plan(engine.delay(host), this.#actor, "refused", () =>
        answer.reject(new LockError("STORE_UNREACHABLE", "The simulated engine is not there.")),
      );
    const sentAt = performance.now();
    const patience = universe.plan(PATIENCE_MS, this.#actor, "silence", () => {
      if (lost !== undefined) return answer.resolve(lost);
      answer.reject(new LockError("STORE_UNREACHABLE", "The simulated engine does not answer."));
    });
    const chance = random();
    const cut = engine.cutFor(host);
    // What is sent into a cut is lost, or comes when it is over.
    const isLost = isRefused || (cut > 0 && random() < 0.7);
    const late = chance < LATE ? LATE_MS * random() : 0;
    if (!isLost)
      universe.plan(cut + late + engine.delay(host), null, kind, () => {
        const result = effect();
        const at = universe.now;
        const { time } = engine;
        if (chance > 1 - LOST || engine.cutFor(host) > 0) return;
        universe.plan(engine.delay(host), this.#actor, "answer", () => {
          this.#hear(at, time, sentAt);
          answer.resolve(result);
        });
      });
    return answer.promise.finally(() => {
      patience.isCancelled = true;
      signal?.removeEventListener("abort", cancel);
    });
  }
}
