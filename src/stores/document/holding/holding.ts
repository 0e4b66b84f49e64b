import { setTimeout as delay } from "node:timers/promises";
import { formatDuration } from "../../../lock/duration.ts";
import { isLockError, messageOf } from "../../../lock/errors.ts";
import type { Lease, ReleaseOutcome } from "../../../lock/store.ts";
import { TIMER_LIMIT_MS } from "../../../lock/time.ts";
import { LivingHolding } from "../../holding.ts";
import type { HolderEntry } from "../document.ts";
import type { Grant } from "../protocol/claim.ts";
import { byClaim, type Find, holdingSteps, releaseSteps, renewSteps } from "../protocol/hold.ts";
import type { Seen } from "../protocol/swap.ts";
import type { Site } from "../site.ts";
import { lossOf } from "../view.ts";
import { BEATS_PER_LIFE, HoldingClock } from "./clock.ts";
import type { Keepalive } from "./keepalive.ts";

/** The pause after a look that showed nothing new though it was woken. */
const REST_MS = 1_000;
/**
 * How long a hold is not watched. A change in that time is seen all the same, since the watch begins at the
 * document that was last seen.
 */
const WATCH_AFTER_MS = 5;
/** A timer that fires so late shows that the process, or its machine, was stopped. */
const WAS_STOPPED_MS = 250;
/** The least time for a last try, however short the time after which silence is death. */
const LAST_TRY_MS = 500;

export interface HoldingOptions {
  readonly site: Site;
  readonly keepalive: Keepalive | null;
  /** False: the ttl is a hard bound. */
  readonly refresh: boolean;
  /** Milliseconds that the holder's work needs to stop. */
  readonly grace: number;
}

/** A lock that is held: it is renewed, looked at, and released. */
export class DocumentHolding extends LivingHolding {
  readonly reclaimed?: Exclude<Grant["reclaimed"], null>;
  readonly #holder: HolderEntry;
  readonly #site: Site;
  readonly #keepalive: Keepalive | null;
  readonly #refresh: boolean;
  readonly #find: Find;
  readonly #clock: HoldingClock;
  /** Fires when nothing is to be done any more for this hold. */
  readonly #over = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** How the document was last seen. */
  #seen: Seen;
  #failure: unknown = null;
  #told = "";
  #renewing: Promise<void> | null = null;

  constructor(lease: Lease, grant: Grant, grantedAt: number, options: HoldingOptions) {
    super(lease);
    if (grant.reclaimed !== null) this.reclaimed = grant.reclaimed;
    this.#holder = grant.holder;
    this.#site = options.site;
    this.#keepalive = options.keepalive;
    this.#refresh = options.refresh;
    this.#find = byClaim(grant.holder.id);
    this.#seen = grant.seen;
    this.#clock = new HoldingClock(grant.holder, grantedAt, {
      ...options,
      timing: options.site.timing,
      clock: options.site.register.clock,
    });
    this.#site.closed.addEventListener("abort", this.#onClose);
    this.#schedule();
    void this.#watch();
  }

  async renew(): Promise<void> {
    this.refuseOver();
    // A renewal that is under way may be a mere heartbeat.
    await this.#renewing;
    await this.#renew(true);
    if (this.lost.aborted) throw this.lost.reason;
    if (this.#failure !== null) throw this.#failure;
  }

  protected goOn(): void {
    this.#schedule();
  }

  protected async releaseNow(): Promise<ReleaseOutcome> {
    const { timing, register } = this.#site;
    // What this process saw last is worth a try only if changes wake it.
    const latest = register.traits.push ? this.#seen : null;
    const steps = releaseSteps(this.lease.key, this.#find, latest);
    const outcome = await this.#site.run(this.lease.key, timing.releasePatience, steps, {
      session: this.#keepalive?.session,
      ends: this.#keepalive !== null,
    });
    this.#stop("end");
    return outcome;
  }

  readonly #onClose = () => {
    clearTimeout(this.#timer);
    this.#over.abort();
  };

  /** Ends what the hold does. `leave`: the others learn of it only from the silence that now begins. */
  #stop(how: "end" | "leave"): void {
    const keepalive = this.#keepalive;
    this.#site.closed.removeEventListener("abort", this.#onClose);
    this.#onClose();
    if (keepalive === null) return;
    if (how === "leave") keepalive.leave();
    else this.#site.finishBeforeClose(keepalive.stop(this.#site.timing.leavePatience));
  }

  #schedule(soonest = 0): void {
    clearTimeout(this.#timer);
    if (this.isOver || this.#site.closed.aborted) return;
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
      // The loss is told before the release: until then nobody else can have the lock.
      this.#lose("its ttl is over");
      // Others share the hold of a run: the clock ends it for all of them, not the first holder that is there.
      if (this.#holder.run === undefined) this.#letGo();
    } else if (performance.now() >= this.#clock.giveUpAt && !(await this.#showsLife())) {
      const silence = formatDuration(performance.now() - (this.#clock.aliveAt ?? 0));
      const why = messageOf(this.#keepalive?.failure ?? this.#failure ?? "no answer");
      const { endsAt } = this.#clock;
      const safeUntil = performance.now() < endsAt ? endsAt : null;
      this.#lose(`it could not be renewed for ${silence} (${why.replace(/\.$/, "")})`, safeUntil);
    } else if (performance.now() >= this.#clock.renewAt) await this.#renew();
    this.#schedule(this.#failure === null ? 0 : this.#clock.retryPause);
  }

  /**
   * Tries once more when it is time to give up, for a process that was stopped for a while: mostly nobody has
   * taken its lock. A process that was not stopped has tried in vain all the time.
   */
  async #showsLife(): Promise<boolean> {
    const keepalive = this.#keepalive;
    const { giveUpAt, endsAt } = this.#clock;
    if (performance.now() - giveUpAt < WAS_STOPPED_MS) return false;
    if (keepalive === null) await this.#renew();
    else {
      const patience = Math.max(this.#clock.retryPause, LAST_TRY_MS);
      await keepalive.renew(AbortSignal.timeout(Math.ceil(patience))).catch(() => {});
      // Others may have seen its session dead. Only a swap shows that none of them came first.
      if (performance.now() >= endsAt) {
        await this.#renewing;
        const { doubt } = keepalive;
        await this.#renew(false);
        if (this.#failure !== null) return this.isOver;
        keepalive.proved(doubt);
      } else await this.#look(patience);
    }
    return this.isOver || performance.now() < this.#clock.giveUpAt;
  }

  #renew(refreshes = this.#refresh): Promise<void> {
    this.#renewing ??= this.#renewNow(refreshes).finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renewNow(refreshes: boolean): Promise<void> {
    const sentAt = performance.now();
    const { key } = this.lease;
    // Not longer than until it is time to give up, and long enough for a slow server to answer.
    const end = Math.min(this.#clock.giveUpAt, this.#clock.expiresAt) - sentAt;
    const patience = Math.max(
      this.#clock.retryPause,
      Math.min(end, this.#site.timing.releasePatience),
    );
    try {
      const document = await this.#site.run(key, patience, renewSteps(key, this.#find, refreshes), {
        session: this.#keepalive?.session,
      });
      this.#failure = null;
      if (document === null) await this.#look(patience);
      else this.#clock.renewed(sentAt, refreshes);
    } catch (error) {
      this.#failure = error;
    }
    if (!this.isOver) this.#schedule(this.#failure === null ? 0 : this.#clock.retryPause);
  }

  /** Looks again and again whether the lock is still there; a register that pushes wakes it. */
  async #watch(): Promise<void> {
    const { register, timing } = this.#site;
    const { signal } = this.#over;
    const pause = Math.min(timing.holderLook, this.#holder.deadAfter / BEATS_PER_LIFE);
    const documents = this.#keepalive?.session ?? register;
    // A watch costs as much as the lock itself: a lock that is released at once needs none.
    await delay(WATCH_AFTER_MS, undefined, { signal, ref: false }).catch(() => {});
    while (!signal.aborted) {
      const began = performance.now();
      try {
        await documents.changed(this.lease.key, this.#seen.version, { pause, signal });
      } catch {
        if (signal.aborted) return;
      }
      // A register that is away, or that wakes without a change, is not asked all the time.
      const isEarly = performance.now() - began < pause;
      const before = this.#seen.version;
      if (!signal.aborted) await this.#look(pause);
      if (isEarly && before === this.#seen.version)
        await delay(Math.min(pause, REST_MS), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #look(patience: number): Promise<void> {
    const { key } = this.lease;
    try {
      const { seen, holder } = await this.#site.run(key, patience, holdingSteps(key, this.#find), {
        session: this.#keepalive?.session,
      });
      this.#seen = seen;
      if (holder === undefined) this.#lose(lossOf(seen.document, this.#holder.fence));
    } catch (error) {
      // The document cannot be seen now: the clock decides whether that is dangerous. A ruined document is a
      // loss.
      if (isLockError(error, "BAD_LOCK_FILE")) this.#lose(messageOf(error).replace(/\.$/, ""));
      // This does not pass by itself, such as a token that has ended: the log has to say so in time.
      else if (isLockError(error, "STORE_REFUSED")) this.#tellOnce(messageOf(error));
    }
  }

  #tellOnce(sentence: string): void {
    if (sentence === this.#told || this.isOver) return;
    this.#told = sentence;
    this.#site.tell(sentence);
  }

  /** Frees a lock whose loss was told; nobody waits for it. */
  #letGo(): void {
    const { key } = this.lease;
    const steps = releaseSteps(key, this.#find);
    this.#site.run(key, this.#site.timing.releasePatience, steps).catch(() => {
      // The others see for themselves that its ttl is over.
    });
  }

  /** `safeUntil`: until then nobody else can have it. */
  #lose(why: string, safeUntil: number | null = null): void {
    if (this.isOver) return;
    this.tellLoss(why, safeUntil);
    this.#stop(safeUntil === null ? "end" : "leave");
  }
}
