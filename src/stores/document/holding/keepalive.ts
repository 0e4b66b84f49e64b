import { formatDuration } from "../../../lock/duration.ts";
import { isLockError, LockError } from "../../../lock/errors.ts";
import type { Session } from "../../engines/register.ts";
import { orAborted } from "../../engines/waits.ts";

/** One sign of life may be late, and another may fail, before the session counts as dead. */
const SIGNS_PER_LIFE = 3;
/** A sign of life, and another one if it fails, before its holder gives up. */
const SIGNS_TO_GIVE_UP = 2;

/** How long a claim may be silent, in milliseconds. */
export interface Pace {
  /** From here on the others may count it as dead. */
  readonly deadAfter: number;
  /** From here on a holder counts its lock as lost. */
  readonly giveUpAfter: number;
  /** The engine may be silent for so long though it is well. */
  readonly outage: number;
}

/**
 * Keeps the session of one claim alive, from before it joins the line until it is over. Whether the
 * session lives decides who is promoted and who counts as dead.
 */
export class Keepalive {
  readonly session: Session;
  readonly pace: Pace;
  readonly #closed: AbortSignal;
  #timer: NodeJS.Timeout | undefined;
  #renewing: Promise<void> = Promise.resolve();
  #askedAt = Number.NEGATIVE_INFINITY;
  #aliveAt = Number.NEGATIVE_INFINITY;
  #failure: unknown = null;
  /**
   * How often the session may have been dead, and for how many of these times it was shown that nobody used it.
   */
  #deaths = 0;
  #proved = 0;
  #isOver = false;

  constructor(session: Session, pace: Pace, closed: AbortSignal) {
    this.session = session;
    this.pace = pace;
    this.#closed = closed;
  }

  /** By `performance.now`: when the latest sign of life that succeeded was sent. */
  get aliveAt(): number {
    return this.#aliveAt;
  }

  /** Why the latest one failed. */
  get failure(): unknown {
    return this.#failure;
  }

  /**
   * The session was dead for a while, or may be dead by now, for instance because this process was stopped. A
   * claim that saw it dead may be about to take the lock, though the session lives again: only a swap of the
   * document that comes first ends that.
   */
  get isDoubtful(): boolean {
    const silence = performance.now() - this.#aliveAt;
    return this.#deaths > this.#proved || silence >= this.pace.giveUpAfter;
  }

  /** What a swap that begins now would settle, for `proved`. */
  get doubt(): number {
    return this.#deaths;
  }

  /**
   * A swap that was begun at that doubt has shown that the lock was still there. Its answer may have been long
   * on its way: it does not settle doubts that came later.
   */
  proved(doubt: number): void {
    this.#proved = doubt;
  }

  /** Begins the session, if the engine can with its first swap. */
  begin(signal?: AbortSignal): Promise<void> {
    return this.#show("begin", signal);
  }

  /** Gives one sign of life. */
  renew(signal?: AbortSignal): Promise<void> {
    return this.#show("renew", signal);
  }

  /** Renews again and again. A sign of life that failed is tried again sooner, and at once if it met silence. */
  start(): void {
    if (this.#isOver || this.#closed.aborted) return;
    const usual = this.#usual;
    const pause = this.#failure === null ? usual : usual / SIGNS_PER_LIFE;
    const left = Math.max(0, this.#askedAt + pause - performance.now());
    this.#timer = setTimeout(() => {
      this.renew().then(
        () => this.start(),
        () => this.start(),
      );
    }, left).unref();
  }

  /** Renews no more: the session dies by itself. */
  leave(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  /** Ends the session in good order. If that fails, others only wait until it is dead. */
  async stop(patience: number): Promise<void> {
    this.leave();
    const inTime = Math.min(patience, this.pace.deadAfter / SIGNS_PER_LIFE);
    const signal = AbortSignal.timeout(Math.ceil(inTime));
    // A sign of life that is under way would begin the session anew. One that is not answered may take longer
    // than this.
    await orAborted(this.#renewing, signal).catch(() => {});
    if (this.#closed.aborted || signal.aborted) return;
    await this.session.end({ signal }).catch(() => {});
  }

  get #usual(): number {
    const { deadAfter, giveUpAfter, outage } = this.pace;
    const most = Math.min(deadAfter / SIGNS_PER_LIFE, giveUpAfter / SIGNS_TO_GIVE_UP);
    // An outage may begin just before a sign of life is due.
    return Math.min(most, giveUpAfter - outage);
  }

  #unanswered(cause: unknown): LockError {
    const within = formatDuration(Math.ceil(this.#usual));
    const sentence = `The store did not answer a sign of life within ${within}.`;
    return new LockError("STORE_UNREACHABLE", sentence, { cause });
  }

  #show(how: "begin" | "renew", signal: AbortSignal | undefined): Promise<void> {
    this.#renewing = this.#showNow(how, signal);
    return this.#renewing;
  }

  async #showNow(how: "begin" | "renew", signal: AbortSignal | undefined): Promise<void> {
    const asked = performance.now();
    this.#askedAt = asked;
    const { deadAfter } = this.pace;
    const patience = AbortSignal.timeout(Math.ceil(this.#usual));
    const signals = [this.#closed, patience, ...(signal === undefined ? [] : [signal])];
    try {
      await this.session[how]({ signal: AbortSignal.any(signals) });
      // It may have died before this one was answered.
      if (performance.now() - this.#aliveAt >= deadAfter && Number.isFinite(this.#aliveAt))
        this.#deaths++;
      this.#aliveAt = Math.max(this.#aliveAt, asked);
      this.#failure = null;
    } catch (thrown) {
      // This patience's own signal fired: to the caller that means that nobody answered.
      const error = patience.aborted && !isLockError(thrown) ? this.#unanswered(thrown) : thrown;
      this.#failure = error;
      throw error;
    }
  }
}
