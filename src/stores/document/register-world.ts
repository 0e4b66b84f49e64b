import { setTimeout as delay } from "node:timers/promises";
import { formatDuration } from "../../lock/duration.ts";
import { isLockError, LockError, messageOf } from "../../lock/errors.ts";
import type { Clock } from "../../lock/time.ts";
import { TIMER_LIMIT_MS } from "../../lock/time.ts";
import { randomHex } from "../../machine/random.ts";
import type {
  AliveSessions,
  CallOptions,
  Documents,
  Register,
  Session,
  Swap,
  Version,
} from "../engines/register.ts";
import { isNobodyThere } from "../remote/trouble.ts";
import type { Instant } from "./document.ts";
import type { Alive, JobLife, RunLife } from "./life.ts";
import { Cancelled } from "./protocol/swap.ts";
import type { Phase, Standing, Wake, World } from "./protocol/world.ts";
import type { Timing } from "./timing.ts";

export interface WorldOptions {
  readonly key: string;
  readonly register: Register;
  readonly timing: Timing;
  readonly clock: Clock;
  readonly alive: Alive;
  /** Milliseconds that a register which does not answer is tried again; null: without limit. */
  readonly patience: number | null;
  /** For a person who only looks: if nobody listens there, the person is told at once. */
  readonly isLook?: boolean;
  /** It looks at many keys, one after the other: a document may be as old as the list of keys. */
  readonly listed?: boolean;
  /** Fires when the claim's time ran out or it was cancelled. It ends waits and reads, and soon a swap. */
  readonly signal?: AbortSignal;
  /** Fires when the claim is ready, and ends one wait. Undefined: it was from the start. */
  readonly ready?: AbortSignal | undefined;
  /** The store was closed: it ends everything. */
  readonly closed: AbortSignal;
  /** The caller's own session. Absent: it reads and swaps in nobody's name. */
  readonly session?: Session | undefined;
  /** The session is needed for nothing after the caller's swap. */
  readonly ends?: boolean;
  readonly onStanding?: (standing: Standing, trouble: string | null) => void;
  /** One sentence for the log: the register is away, or is rate-limiting requests. */
  readonly onTrouble?: (sentence: string) => void;
  /** Told of every call that nobody answered, and of every document that was read or written. */
  readonly onAway?: (isAway: boolean) => void;
}

const NONCE_BYTES = 8;
/**
 * A swap that was not made because nobody was there. It is not tried again as it is: times in it, such as the
 * end of a hold, would count from before the outage. The protocol reads, and decides anew.
 */
const NOT_SWAPPED: Swap = { outcome: "unknown", why: "the register was away" };
/** How often a call is tried again at least, if its time is limited: once a second for a release. */
const RETRIES = 30;

/**
 * Sessions that are taken to live without asking. `possible`: none was supposed yet. `made`: the next swap needs
 * these sessions to live. `over`: that swap was made, and from now on the register is asked.
 */
type Supposition =
  | { readonly state: "possible" | "over" }
  | { readonly state: "made"; readonly ids: readonly string[] };

/** The register as the protocol's world: tries again what may pass, and gives up when it is time. */
export class RegisterWorld implements World {
  readonly #options: WorldOptions;
  #phase: Phase | null = null;
  #giveUpAt: number;
  #retryUntil: number;
  /** Milliseconds that a register which does not answer is tried again; null: without limit. */
  #retryFor: number | null;
  #hasAnswered = false;
  #standing: Standing | null = null;
  #trouble: string | null = null;
  #ready: Promise<unknown> = Promise.resolve();
  #supposition: Supposition = { state: "possible" };
  #isReadyTold = false;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#giveUpAt = this.#after(options.patience);
    this.#retryUntil = this.#giveUpAt;
    this.#retryFor = options.patience;
  }

  /** Whether the document was ever read. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** How the claim stood when it was last told. */
  get standing(): Standing | null {
    return this.#standing;
  }

  /** What the store said last in place of an answer, such as that it is rate-limiting requests. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Nothing is written before this is done. Reads go on meanwhile. */
  writesAfter(ready: Promise<unknown>): void {
    ready.catch(() => {});
    this.#ready = ready;
  }

  async read(strong: boolean): Promise<Version> {
    const { key, listed = false } = this.#options;
    const options = { strong, listed };
    const version = await this.#trying((call) =>
      this.#documents.read(key, { ...call, ...options }),
    );
    this.#answered();
    return version;
  }

  async swap(version: string | null, next: string, wakes: readonly string[] = []): Promise<Swap> {
    const { key, session, ends = false } = this.#options;
    await this.#ready;
    // The caller knows what it does.
    const others = wakes.filter((id) => id !== session?.id);
    const supposed = this.#supposition.state === "made" ? this.#supposition.ids : [];
    const needs = others.filter((id) => supposed.includes(id));
    this.#supposition = { state: "over" };
    // A swap that is cut short may stand or not: so a cancelled claim leaves it some time.
    const cut = this.#soonAfterCancel();
    try {
      const swap = await this.#trying<Swap>(async (call) => {
        const signal = AbortSignal.any([call.signal as AbortSignal, cut.signal]);
        try {
          const options = { ...call, signal, ends, needs, wakes: others };
          return await this.#documents.swap(key, version, next, options);
        } catch (error) {
          if (signal.aborted) return { outcome: "unknown", why: messageOf(error) };
          throw error;
        }
      }, NOT_SWAPPED);
      if (swap.outcome !== "unknown") this.#options.onAway?.(false);
      return swap;
    } finally {
      cut.clear();
    }
  }

  /** A signal that fires a while after the claim's own: a cancelled claim does not wait long. */
  #soonAfterCancel(): { readonly signal: AbortSignal; clear(): void } {
    const { signal, timing } = this.#options;
    const cut = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const start = () => {
      timer = setTimeout(() => cut.abort(), timing.cancelledSwap);
    };
    if (this.#phase === "ending" || signal === undefined) return { signal: cut.signal, clear() {} };
    if (signal.aborted) start();
    else signal.addEventListener("abort", start, { once: true });
    return {
      signal: cut.signal,
      clear: () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", start);
      },
    };
  }

  /**
   * A release mostly gives the lock to a claim that lives. So it supposes that once, and saves the question, if
   * the register makes the swap only on condition that it is true.
   */
  async aliveSessions(ids: readonly string[]): Promise<AliveSessions | null> {
    const { register, ends = false } = this.#options;
    const { conditional = false, signs } = register.traits;
    if (signs === undefined) return null;
    if (conditional && ends && this.#supposition.state === "possible") {
      this.#supposition = { state: "made", ids };
      return new Map(ids.map((id) => [id, true]));
    }
    return this.#trying((call) => register.alive(ids, call));
  }

  alive(lives: readonly (JobLife | RunLife)[]): Promise<readonly (boolean | null)[]> {
    const signal = this.#cancel(this.#giveUpAt, true);
    const ask = (life: JobLife | RunLife) => this.#options.alive(life, signal).catch(() => null);
    return Promise.all(lives.map(ask));
  }

  async wait(version: string | null, pause: number): Promise<Wake> {
    const { key, ready } = this.#options;
    const cancel = this.#cancel(Number.POSITIVE_INFINITY, true);
    const isTold = ready === undefined || this.#isReadyTold;
    const signal = isTold ? cancel : AbortSignal.any([cancel, ready]);
    try {
      await this.#documents.changed(key, version, { ...this.#calling(signal), pause });
    } catch (error) {
      if (!signal.aborted) {
        if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
        this.#tell(messageOf(error));
        this.#options.onAway?.(true);
        return this.#sleep(Math.min(pause, this.#options.timing.retry[1]));
      }
    }
    if (this.#isCancelled) return "cancelled";
    if (isTold || !ready.aborted) return "changed";
    this.#isReadyTold = true;
    return "ready";
  }

  backOff(times: number): Promise<Wake> {
    const [from, to] = this.#options.register.traits.backoff;
    return this.#sleep(Math.random() * Math.min(to, from * 2 ** Math.min(times, 16)));
  }

  phase(phase: Phase): void {
    if (phase === this.#phase) return;
    this.#phase = phase;
    const { startRetry, startPatience, leavePatience } = this.#options.timing;
    if (phase === "starting") {
      this.#giveUpAt = this.#after(startPatience);
      this.#retryFor = startRetry;
    } else {
      this.#retryFor = phase === "waiting" ? null : leavePatience;
      this.#giveUpAt = this.#after(this.#retryFor);
    }
    this.#retryUntil = this.#after(this.#retryFor);
  }

  report(standing: Standing): void {
    this.#standing = standing;
    if (this.#phase === "waiting") this.#options.onStanding?.(standing, standing.trouble);
  }

  nonce(): string {
    return randomHex(NONCE_BYTES);
  }

  now(): Instant {
    const { register, clock } = this.#options;
    const now = register.clock?.now ?? null;
    return now === null ? { now: clock.now(), shared: false } : { now, shared: true };
  }

  monotonic(): number {
    return this.#options.clock.monotonic();
  }

  get #documents(): Documents {
    return this.#options.session ?? this.#options.register;
  }

  #after(patience: number | null): number {
    return patience === null ? Number.POSITIVE_INFINITY : performance.now() + patience;
  }

  get #isCancelled(): boolean {
    const { signal, closed } = this.#options;
    return closed.aborted || (this.#phase !== "ending" && signal?.aborted === true);
  }

  /** Calls the register outside of the protocol's steps, with the same patience. */
  call<T>(call: (options: CallOptions) => Promise<T>): Promise<T> {
    return this.#trying(call);
  }

  /**
   * Calls the register, and calls it again if that may help and there is time left. `once`: it is not called
   * again, and this is the answer; and a cancelled claim does not end the call.
   */
  async #trying<T>(call: (options: CallOptions) => Promise<T>, once?: T): Promise<T> {
    const { isLook = false, onAway } = this.#options;
    const isCancellable = once === undefined;
    for (let times = 0; ; times++) {
      if (isCancellable && this.#isCancelled) throw new Cancelled("cancelled");
      const end = performance.now() + this.#options.timing.call;
      const signal = this.#cancel(Math.min(this.#giveUpAt, end), isCancellable);
      try {
        return await call(this.#calling(signal));
      } catch (thrown) {
        if (isCancellable && this.#isCancelled) throw new Cancelled("cancelled");
        const error = signal.aborted ? this.#unreachable(thrown) : thrown;
        const pause = this.#retryPause(times);
        const isLate = performance.now() + pause >= this.#retryUntil;
        const isVain = isLate || (isLook && isNobodyThere(error));
        if (!isLockError(error, "STORE_UNREACHABLE") || isVain) throw error;
        const limit = this.#retryFor;
        const again = limit === null ? "" : ` Trying again for ${formatDuration(limit)}.`;
        this.#tell(messageOf(error), again);
        onAway?.(true);
        await this.#sleep(pause);
        if (once !== undefined) return once;
      }
    }
  }

  /** Spread at random, since many may have lost the same server at the same moment. */
  #retryPause(times: number): number {
    const [from, to] = this.#options.timing.retry;
    const part = this.#retryFor === null ? to : Math.max(from, this.#retryFor / RETRIES);
    return Math.random() * Math.min(to, part, from * 2 ** times);
  }

  /**
   * The address is right, and the server is there. From now on an error is a passing one, even if the start
   * takes long because others are first again and again.
   */
  #answered(): void {
    this.#hasAnswered = true;
    this.#options.onAway?.(false);
    // A person who looks is told soon of a silence. Many answers that take their time are no silence.
    if (this.#options.isLook) this.#giveUpAt = this.#after(this.#options.patience);
    if (this.#phase !== "starting") return;
    this.#retryFor = this.#options.timing.startPatience;
    this.#giveUpAt = this.#after(this.#retryFor);
    this.#retryUntil = this.#giveUpAt;
  }

  #unreachable(error: unknown): LockError {
    if (isLockError(error, "STORE_UNREACHABLE")) return error;
    const { url } = this.#options.register;
    const message = `The store ${url} did not answer in time: check host, port and the firewall in between.`;
    return new LockError("STORE_UNREACHABLE", message, { cause: error });
  }

  #calling(signal: AbortSignal): CallOptions {
    return { signal, onTrouble: (sentence) => this.#tell(sentence) };
  }

  #cancel(until: number, isCancellable: boolean): AbortSignal {
    const { signal, closed } = this.#options;
    const signals = [closed];
    if (isCancellable && signal !== undefined && this.#phase !== "ending") signals.push(signal);
    const left = until - performance.now();
    if (left < TIMER_LIMIT_MS) signals.push(AbortSignal.timeout(Math.max(1, Math.ceil(left))));
    return AbortSignal.any(signals);
  }

  /** `more`: for the log alone. */
  #tell(sentence: string, more = ""): void {
    const { onStanding, onTrouble } = this.#options;
    this.#trouble = sentence.replace(/\.$/, "");
    // A claim in line tells it with how it stands.
    if (this.#phase === "waiting" && this.#standing !== null && onStanding !== undefined)
      onStanding(this.#standing, this.#trouble);
    else onTrouble?.(`${sentence}${more}`);
  }

  async #sleep(pause: number): Promise<Wake> {
    const signal = this.#cancel(Number.POSITIVE_INFINITY, true);
    try {
      await delay(pause, undefined, { signal });
    } catch {
      // The signal has fired: what it means is said below.
    }
    return this.#isCancelled ? "cancelled" : "changed";
  }
}
