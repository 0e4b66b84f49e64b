import { setTimeout as delay } from "node:timers/promises";
import { formatDuration } from "../../../lock/duration.ts";
import { isLockError, LockError, messageOf } from "../../../lock/errors.ts";
import type { Lease } from "../../../lock/lease.ts";
import type { Holding, ReleaseOutcome } from "../../../lock/store.ts";
import { TIMER_LIMIT_MS } from "../../../lock/timers.ts";
import type { HolderEntry } from "../document.ts";
import type { Grant } from "../protocol/claim.ts";
import { byClaim, type Find, holdingSteps, releaseSteps, renewSteps } from "../protocol/hold.ts";
import type { Steps } from "../protocol/world.ts";
import type { Register } from "../register.ts";
import type { Timing } from "../timing.ts";
import { lossOf } from "../view.ts";
import { BEATS_PER_LIFE, HoldingClock } from "./clock.ts";
import type { Keepalive } from "./keepalive.ts";

/** After a look that showed nothing new, though it was woken for one. */
const REST_MS = 1_000;
export interface HoldingOptions {
  readonly register: Register;
  readonly timing: Timing;
  /** Runs steps on the register, for so many milliseconds at most where it is away. */
  readonly run: <T>(key: string, patience: number, steps: Steps<T>) => Promise<T>;
  readonly keepalive: Keepalive | null;
  /** False: the ttl is a hard bound. */
  readonly refresh: boolean;
  readonly closed: AbortSignal;
}

/** A lock that is held: it is renewed, looked at, and let go. */
export class DocumentHolding implements Holding {
  readonly lease: Lease;
  readonly reclaimed?: Exclude<Grant["reclaimed"], null>;
  readonly #holder: HolderEntry;
  readonly #options: HoldingOptions;
  readonly #find: Find;
  readonly #clock: HoldingClock;
  readonly #loss = new AbortController();
  /** Fires when nothing is to be done any more for this hold. */
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #version: string | null;
  #failure: unknown = null;
  #renewing: Promise<void> | null = null;
  #releasing: Promise<ReleaseOutcome> | null = null;
  #released = false;

  constructor(lease: Lease, grant: Grant, grantedAt: number, options: HoldingOptions) {
    this.lease = lease;
    if (grant.reclaimed !== null) this.reclaimed = grant.reclaimed;
    this.#holder = grant.holder;
    this.#options = options;
    this.#find = byClaim(grant.holder.id);
    this.#version = grant.seen.version;
    this.#clock = new HoldingClock(grant.holder, grantedAt, options);
    options.closed.addEventListener("abort", this.#onClose);
    this.#schedule();
    void this.#watch();
  }

  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  async renew(): Promise<void> {
    if (this.lost.aborted) throw this.lost.reason;
    if (this.#isOver) throw alreadyReleased();
    // One that is under way may be a mere heartbeat.
    await this.#renewing;
    await this.#renew(true);
    if (this.lost.aborted) throw this.lost.reason;
    if (this.#failure !== null) throw this.#failure;
  }

  release(): Promise<ReleaseOutcome> {
    if (this.#released) return Promise.resolve("already-gone");
    this.#releasing ??= this.#release().catch((error) => {
      // Let it be tried again: until then the lock is still ours, and must not fall silent.
      this.#releasing = null;
      this.#schedule();
      throw error;
    });
    return this.#releasing;
  }

  /** A document knows claims, not processes. */
  async cover(): Promise<boolean> {
    return false;
  }

  async #release(): Promise<ReleaseOutcome> {
    if (this.lost.aborted) return "already-gone";
    const { run, timing } = this.#options;
    const steps = releaseSteps(this.lease.key, this.#find);
    const outcome = await run(this.lease.key, timing.releasePatience, steps);
    this.#released = true;
    await this.#stop();
    return outcome;
  }

  get #isOver(): boolean {
    return this.#releasing !== null || this.#released || this.lost.aborted;
  }

  readonly #onClose = () => {
    clearTimeout(this.#timer);
    this.#over.abort();
  };

  async #stop(): Promise<void> {
    this.#options.closed.removeEventListener("abort", this.#onClose);
    this.#onClose();
    await this.#options.keepalive?.stop();
  }

  #schedule(soonest = 0): void {
    clearTimeout(this.#timer);
    if (this.#isOver || this.#options.closed.aborted) return;
    const now = performance.now();
    const at = Math.min(
      Math.max(this.#clock.renewAt, now + soonest),
      this.#clock.giveUpAt,
      this.#clock.expiresAt,
    );
    const left = Math.max(1, Math.min(Math.ceil(at - now), TIMER_LIMIT_MS));
    this.#timer = setTimeout(() => void this.#tick(), left).unref();
  }

  async #tick(): Promise<void> {
    if (performance.now() >= this.#clock.expiresAt) {
      // Told first, then let go: nobody else can have it before.
      this.#lose("its ttl is over");
      this.#letGo();
    } else if (performance.now() >= this.#clock.giveUpAt && !(await this.#showsLife())) {
      const silence = formatDuration(performance.now() - (this.#clock.aliveAt ?? 0));
      const why = messageOf(this.#options.keepalive?.failure ?? this.#failure ?? "no answer");
      this.#lose(`it could not be renewed for ${silence} (${why.replace(/\.$/, "")})`);
    } else if (performance.now() >= this.#clock.renewAt) await this.#renew();
    this.#schedule(this.#failure === null ? 0 : this.#clock.retryPause);
  }

  /**
   * One last try where it is time to give up. A process that was stopped for a while comes here as
   * well, and mostly nobody has taken its lock.
   */
  async #showsLife(): Promise<boolean> {
    const { keepalive } = this.#options;
    if (keepalive === null) await this.#renew();
    else {
      await keepalive.light().catch(() => {});
      if (performance.now() < this.#clock.giveUpAt) await this.#look(this.#clock.retryPause);
    }
    return this.#isOver || performance.now() < this.#clock.giveUpAt;
  }

  #renew(refreshes = this.#options.refresh): Promise<void> {
    this.#renewing ??= this.#renewNow(refreshes).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renewNow(refreshes: boolean): Promise<void> {
    const sentAt = performance.now();
    const { key } = this.lease;
    // Not longer than until it is time to give up, and not so short that a slow server never answers.
    const end = Math.min(this.#clock.giveUpAt, this.#clock.expiresAt) - sentAt;
    const patience = Math.max(
      this.#clock.retryPause,
      Math.min(end, this.#options.timing.releasePatience),
    );
    try {
      const document = await this.#options.run(
        key,
        patience,
        renewSteps(key, this.#find, refreshes),
      );
      this.#failure = null;
      if (document === null) await this.#look(patience);
      else this.#clock.renewed(sentAt, refreshes);
    } catch (error) {
      this.#failure = error;
    }
    if (!this.#isOver) this.#schedule(this.#failure === null ? 0 : this.#clock.retryPause);
  }

  /** Looks again and again whether the lock is still there; a register that pushes wakes it. */
  async #watch(): Promise<void> {
    const { register, timing } = this.#options;
    const { signal } = this.#over;
    const pause = Math.min(timing.holderLook, this.#holder.deadAfter / BEATS_PER_LIFE);
    while (!signal.aborted) {
      const began = performance.now();
      try {
        await register.changed(this.lease.key, this.#version, { pause, signal });
      } catch {
        if (signal.aborted) return;
      }
      // A register that is away, or that wakes for nothing, is not asked all the time.
      const isEarly = performance.now() - began < pause;
      const before = this.#version;
      if (!signal.aborted) await this.#look(pause);
      if (isEarly && before === this.#version)
        await delay(Math.min(pause, REST_MS), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #look(patience: number): Promise<void> {
    const { key } = this.lease;
    try {
      const { seen, holder } = await this.#options.run(
        key,
        patience,
        holdingSteps(key, this.#find),
      );
      this.#version = seen.version;
      if (holder === undefined) this.#lose(lossOf(seen.document, this.#holder.fence));
    } catch (error) {
      // Not to be seen now; whether that is dangerous the clock decides. A ruined document is.
      if (isLockError(error, "BAD_LOCK_FILE")) this.#lose(messageOf(error).replace(/\.$/, ""));
    }
  }

  /** Frees a lock whose loss was told; nobody waits for it. */
  #letGo(): void {
    const { run, timing } = this.#options;
    const { key } = this.lease;
    run(key, timing.releasePatience, releaseSteps(key, this.#find)).catch(() => {
      // The others see for themselves that its ttl is over.
    });
  }

  #lose(why: string): void {
    if (this.#isOver) return;
    const sentence = `The lock ${JSON.stringify(this.lease.key)} was lost: ${why}.`;
    this.#loss.abort(new LockError("LOCK_LOST", sentence));
    void this.#stop();
  }
}

function alreadyReleased(): LockError {
  return new LockError("LOCK_LOST", "The lock was already released.");
}
