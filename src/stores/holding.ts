import { LockError } from "../lock/errors.ts";
import type { Holding, Lease, ReleaseOutcome } from "../lock/store.ts";

/** The life of a holding, whatever its store: it is released once, or its loss is told once. */
export abstract class LivingHolding implements Holding {
  readonly lease: Lease;
  readonly #loss = new AbortController();
  #safeUntil: number | null = null;
  #releasing: Promise<ReleaseOutcome> | null = null;
  #released = false;

  constructor(lease: Lease) {
    this.lease = lease;
  }

  abstract renew(): Promise<void>;

  /** Releases a lock that is not known to be lost. */
  protected abstract releaseNow(): Promise<ReleaseOutcome>;

  /** A release failed and may be tried again: until then the lock is still ours, and must not fall silent. */
  protected abstract goOn(): void;

  /** What ran under a lost lock has ended. */
  protected afterLoss(): void {}

  get lost(): AbortSignal {
    return this.#loss.signal;
  }

  get safeUntil(): number | null {
    return this.#safeUntil;
  }

  /** Only some stores know processes; the others know connections, sessions or claims. */
  async cover(_pid: number): Promise<boolean> {
    return false;
  }

  release(): Promise<ReleaseOutcome> {
    if (this.#released) return Promise.resolve("already-gone");
    this.#releasing ??= this.#release().catch((error) => {
      this.#releasing = null;
      this.goOn();
      throw error;
    });
    return this.#releasing;
  }

  /** It is released, or about to be, or lost. */
  protected get isOver(): boolean {
    return this.#releasing !== null || this.lost.aborted;
  }

  /** Tells that the lock is lost. `safeUntil`: until then nobody else can have it. */
  protected tellLoss(why: string, safeUntil: number | null = null): void {
    this.#safeUntil = safeUntil;
    const sentence = `The lock ${JSON.stringify(this.lease.key)} was lost: ${why}.`;
    this.#loss.abort(new LockError("LOCK_LOST", sentence));
  }

  protected refuseOver(): void {
    if (this.lost.aborted) throw this.lost.reason;
    if (this.isOver) throw alreadyReleased();
  }

  async #release(): Promise<ReleaseOutcome> {
    if (this.lost.aborted) {
      this.afterLoss();
      return "already-gone";
    }
    const outcome = await this.releaseNow();
    this.#released = true;
    return outcome;
  }
}

export function alreadyReleased(): LockError {
  return new LockError("LOCK_LOST", "The lock was already released.");
}
