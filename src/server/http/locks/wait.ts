import type { Claim } from "../../table/claim.ts";
import type { EndReason } from "../../table/ends.ts";
import type { LockTable } from "../../table/table.ts";
import type { Exchange } from "../exchange.ts";

/**
 * The gap is how long a place in line is kept between two requests of its client, or a lock whose
 * grant may not have reached it: long enough to ask again over a slow network, short enough that a
 * client which died does not hold up all others. Between two requests nothing is granted to it.
 */
export const GAP_MS = 5_000;

/** How a request's waiting ended. "gone": its client hung up, and nobody reads the answer. */
export type Outcome = "held" | "timeout" | "gone" | "shutdown" | "session-ended" | "superseded";

/** What a wait needs to know of its session, and changes in it. */
export interface WaitingSession {
  /** All waits of the session, by key. */
  waits: Map<string, Wait> | null;
  /** Requests that wait: as long as there are any, the session does not expire. */
  busy: number;
  readonly over: boolean;
}

/** A session's place in the line of one key, through all the requests in which it waits for it. */
export class Wait {
  readonly claim: Claim;
  readonly #session: WaitingSession;
  readonly #table: LockTable;
  /** Tells that the session was used just now. */
  readonly #use: () => void;
  readonly #requests = new Set<(outcome: Outcome) => void>();
  #gap: NodeJS.Timeout | undefined;

  constructor(claim: Claim, session: WaitingSession, table: LockTable, use: () => void) {
    this.claim = claim;
    this.#session = session;
    this.#table = table;
    this.#use = use;
    this.#keep();
  }

  /** What is held in the end: the claim itself, or the hold of its run, which another claim got first. */
  get held(): Claim {
    return this.claim.sharing ?? this.claim;
  }

  /** Waits for one request, until the claim is granted or the time is over. */
  attend({ response }: Exchange, milliseconds: number): Promise<Outcome> {
    clearTimeout(this.#gap);
    this.#session.busy += 1;
    return new Promise((resolve) => {
      const leave = (outcome: Outcome): void => {
        if (!this.#requests.delete(leave)) return;
        clearTimeout(timer);
        response.off("close", hangUp);
        this.#session.busy -= 1;
        this.#use();
        if (outcome === "timeout" || outcome === "gone") this.#pause();
        resolve(outcome);
      };
      const hangUp = (): void => leave("gone");
      const timer = setTimeout(leave, milliseconds, "timeout");
      this.#requests.add(leave);
      // A client that pipelines may have hung up before this request was served.
      if (response.destroyed) {
        leave("gone");
        return;
      }
      response.once("close", hangUp);
      if (this.claim.state === "waiting") this.#table.stepBack(this.claim);
    });
  }

  /**
   * Whether the claim is held now, for a request that does not wait. If not, the request still shows
   * a living client, and the place is kept for another gap.
   */
  isHeldNow(): boolean {
    const { claim } = this;
    if (claim.state === "waiting") this.#table.stepBack(claim);
    if (this.held.state === "held") {
      this.settle();
      return true;
    }
    if (this.#requests.size === 0) this.#pause();
    return false;
  }

  /**
   * Starts the gap again: an answer that told of the grant did not arrive, and the client may ask anew.
   * Not where another one did: a client whose first connection broke has asked on a second one.
   */
  doubt(): void {
    if (this.claim.told || this.claim.state !== "held" || this.#session.over) return;
    this.#keep();
    this.#pause();
  }

  /** Ends the wait; a claim that is held is an ordinary lock from now on, since its session knows of it. */
  settle(): void {
    clearTimeout(this.#gap);
    this.#session.waits?.delete(this.claim.entry.key);
  }

  granted(): void {
    if (this.#requests.size === 0) return;
    this.settle();
    this.#tell("held");
  }

  ended(reason: EndReason): void {
    this.settle();
    if (reason === "shared") this.#tell("held");
    else this.#tell(reason === "shutdown" || reason === "superseded" ? reason : "timeout");
  }

  /** Answers the requests that wait: the session is over. Ending the session also ends the claim. */
  abandon(): void {
    clearTimeout(this.#gap);
    this.#tell("session-ended");
  }

  /**
   * Leaves the line or releases the lock: the gap is over, and the client did not come back, or it has
   * released. Requests that still wait are answered.
   */
  giveUp(): void {
    const { claim } = this;
    this.settle();
    if (claim.state === "waiting") this.#table.withdraw(claim);
    else if (claim.state === "held") this.#table.release(claim.entry.key, claim.token);
    this.#tell("timeout");
  }

  #keep(): void {
    this.#session.waits ??= new Map();
    this.#session.waits.set(this.claim.entry.key, this);
  }

  #tell(outcome: Outcome): void {
    for (const leave of [...this.#requests]) leave(outcome);
  }

  #pause(): void {
    if (this.#requests.size > 0 || this.claim.state === "over") return;
    if (this.claim.state === "waiting") this.claim.absent = true;
    clearTimeout(this.#gap);
    this.#gap = setTimeout(() => this.giveUp(), GAP_MS);
  }
}
