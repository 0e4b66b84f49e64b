import { setTimeout as delay } from "node:timers/promises";
import { slotsFrozen } from "../../forecast/words.ts";
import { isLockError, type LockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import type { KeyStatus } from "../../lock/status.ts";
import type { ClaimOptions, Holding, Lease } from "../../lock/store.ts";
import { Term } from "../../lock/time.ts";
import { live } from "../lifecycle.ts";
import { describeHolders, neverAnswered, notAcquired } from "../sentences.ts";

/** How soon a claim that lost its place joins the line again. */
export const REJOIN_MS = 250;
/** How long that is tried: a server's restart takes seconds, its machine's a minute or two. */
export const REJOIN_LIMIT_MS = 120_000;
/** How long to look who is in the way: a sentence is not worth a longer wait. */
export const EXPLAIN_MS = 1_000;
/** How long a person waits for a look. */
export const LOOK_MS = 5_000;
/** If a grant took longer than this part of its lease to arrive, a renewal has to prove it. */
const FRESH_PARTS = 6;
/** If a proof's answer took longer than this part of the lease, it is asked for again. */
const LATE_PARTS = 2;

/** How one time in line ended. */
export type Turn<Grant> =
  | { readonly kind: "granted"; readonly grant: Grant }
  /** Only if the claim does not wait. */
  | { readonly kind: "timeout" }
  /** The place in line is gone, and the claim did not cause that. */
  | { readonly kind: "dropped"; readonly error: LockError };

/**
 * A claim at a lock server, from the first packet to the held lock. A claim whose place is lost (server
 * restarted, network cut) joins the line again. Each kind of server decides how it stands in line.
 */
export abstract class RemoteClaim<Grant> {
  protected readonly request: CheckedRequest;
  protected readonly onProgress: ClaimOptions["onProgress"];
  protected readonly term: Term;
  /** The owner as the server knows it, if the request's own word for it does not count. */
  protected knownAs: string | null = null;
  readonly #startedAt = performance.now();
  #droppedAt: number | null = null;
  #wasPlaced = false;

  constructor(request: CheckedRequest, options: ClaimOptions) {
    this.request = request;
    this.onProgress = options.onProgress;
    this.term = new Term(options, options.signal);
  }

  /** Stands in line once, and calls `placed` when the server has said so. */
  protected abstract stand(): Promise<Turn<Grant>>;

  /** Says why waiting is unusual, with what was last known of the line. */
  protected abstract report(trouble: string): void;

  protected abstract hold(grant: Grant): Holding;

  /** Who holds the key; given up after EXPLAIN_MS. */
  protected abstract look(): Promise<KeyStatus>;

  /** The server's name in sentences. */
  protected abstract get shown(): string;

  /** Removes what the claim left at the server. After `hold` there is nothing. */
  protected async leave(): Promise<void> {}

  run(): Promise<Holding> {
    return live(this.term, {
      stand: () => this.#standAgain(),
      hold: (grant) => this.hold(grant),
      end: () => this.leave(),
      whyNot: (limit) => this.#whyNot(limit),
    });
  }

  /** Stands in line, and joins it again where the place was lost. */
  async #standAgain(): Promise<Grant | null> {
    const { signal } = this;
    try {
      for (;;) {
        const turn = await this.#standPatiently();
        if (signal.aborted || turn.kind === "timeout") return null;
        if (turn.kind === "granted") return turn.grant;
        this.#droppedAt ??= performance.now();
        if (performance.now() - this.#droppedAt > REJOIN_LIMIT_MS) throw turn.error;
        const why = turn.error.message.replace(/\.$/, "");
        this.report(`the place in line was lost (${why}), joining it again`);
        await delay(REJOIN_MS, undefined, { signal }).catch(() => {});
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      return null;
    }
  }

  /** Fires when the claim is cancelled or its time is over: then it has to leave the line. */
  protected get signal(): AbortSignal {
    return this.term.signal;
  }

  /** The server has said that the claim stands in line. */
  protected placed(): void {
    this.#wasPlaced = true;
    this.#droppedAt = null;
  }

  /** The claim was seen to stand in line, though the server has not said so to the claim itself. */
  protected seenInLine(): void {
    this.#wasPlaced = true;
  }

  /** Milliseconds since the claim began. */
  protected get age(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  /** A grant that was asked for after this time needs no proof. */
  protected isFresh(sentAt: number, leaseSeconds: number): boolean {
    return performance.now() - sentAt < (leaseSeconds * 1_000) / FRESH_PARTS;
  }

  /** A proof that was asked for before this time proves nothing about now. */
  protected isLate(provenAt: number, leaseSeconds: number): boolean {
    return performance.now() - provenAt >= (leaseSeconds * 1_000) / LATE_PARTS;
  }

  /** The claim has stood in line before, and lost its place. */
  protected get wasDropped(): boolean {
    return this.#droppedAt !== null;
  }

  /** The lease of a claim that was granted just now. */
  protected leaseOf(
    granted: Pick<Lease, "store" | "fence" | "slots" | "resources" | "since" | "token">,
  ): Lease {
    const { key, owner, ttl } = this.request;
    const waited = Math.round(performance.now() - this.#startedAt);
    const [slot = 0] = granted.slots;
    const knownAs = this.knownAs ?? owner.id;
    return { ...granted, slot, key, owner: knownAs, ttl: ttl / 1_000, waited };
  }

  /** The first time, an unreachable server is the user's problem; later it is a trouble that may pass. */
  async #standPatiently(): Promise<Turn<Grant>> {
    try {
      return await this.stand();
    } catch (error) {
      const mayPass = this.wasDropped && isLockError(error, "STORE_UNREACHABLE");
      if (this.signal.aborted || !mayPass) throw error;
      return { kind: "dropped", error };
    }
  }

  /** Why a claim that should wait no longer got nothing. */
  async #whyNot(limit: number): Promise<LockError> {
    const { key } = this.request;
    try {
      const status = await this.look();
      const isFrozen = status.frozen !== null || slotsFrozen(status) !== null;
      const isFree = status.holders.length === 0 && !isFrozen;
      const why = isFree ? "it was held until a moment ago" : describeHolders(status, Date.now());
      return notAcquired(key, limit, why);
    } catch (error) {
      if (isLockError(error, "STORE_DENIED"))
        return notAcquired(key, limit, `the lock server ${this.shown} does not tell who holds it`);
      if (!this.#wasPlaced)
        return neverAnswered(limit, `The lock server ${this.shown} does not answer`);
      return notAcquired(key, limit, `the lock server ${this.shown} does not answer`);
    }
  }
}
