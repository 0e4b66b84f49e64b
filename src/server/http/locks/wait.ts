import type { Claim, EndReason } from "../../table/claim.ts";
import type { LockTable } from "../../table/table.ts";
import type { Exchange } from "../exchange.ts";
import type { Session } from "../sessions/session.ts";

/**
 * Between two requests nobody is there to be given the lock. So long a place in line, or a lock that
 * came in between, is kept: long enough for a client behind a slow line to ask again, short enough
 * that one which died does not hold up everybody else.
 */
export const GAP_MS = 5_000;

/** How waiting came to an end. "gone": the client hung up, and nobody reads the answer. */
export type Outcome = "held" | "timeout" | "gone" | "shutdown" | "session-ended";

export interface WaitDesk {
  readonly table: LockTable;
  /** The session was used just now. */
  use(session: Session): void;
}

/** A session's place in the line of one key, through all the requests in which it waits for it. */
export class Wait {
  readonly claim: Claim;
  readonly #session: Session;
  readonly #desk: WaitDesk;
  readonly #requests = new Set<(outcome: Outcome) => void>();
  #gap: NodeJS.Timeout | undefined;

  constructor(claim: Claim, session: Session, desk: WaitDesk) {
    this.claim = claim;
    this.#session = session;
    this.#desk = desk;
    this.#keep();
  }

  /** For one request: until the claim is granted, in so many milliseconds at most. */
  attend({ response }: Exchange, milliseconds: number): Promise<Outcome> {
    clearTimeout(this.#gap);
    this.#session.busy += 1;
    return new Promise((resolve) => {
      const leave = (outcome: Outcome): void => {
        if (!this.#requests.delete(leave)) return;
        clearTimeout(timer);
        response.off("close", hangUp);
        this.#session.busy -= 1;
        this.#desk.use(this.#session);
        if (outcome === "timeout" || outcome === "gone") this.#pause();
        resolve(outcome);
      };
      const hangUp = (): void => leave("gone");
      const timer = setTimeout(leave, milliseconds, "timeout");
      this.#requests.add(leave);
      // Who pipelines may have hung up before its turn came.
      if (response.destroyed) leave("gone");
      else response.once("close", hangUp);
    });
  }

  /** A request that does not wait, but shows that somebody is still there. */
  extend(): void {
    if (this.#requests.size === 0) this.#pause();
  }

  /** The answer that told of the grant did not arrive: the client has the gap to ask again. */
  doubt(): void {
    if (this.claim.state !== "held" || this.#session.over) return;
    this.#keep();
    this.#pause();
  }

  /** The claim is an ordinary lock from now on: its session knows of it. */
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
    this.#tell(reason === "shutdown" ? "shutdown" : "timeout");
  }

  /** Its session is over; the claim is for whoever ends that to end. */
  abandon(): void {
    clearTimeout(this.#gap);
    this.#tell("session-ended");
  }

  /** Nobody came in time: the place, or the lock, is given up. */
  giveUp(): void {
    const { table } = this.#desk;
    const { claim } = this;
    this.settle();
    if (claim.state === "waiting") table.withdraw(claim);
    else if (claim.state === "held") table.release(claim.entry.key, claim.token);
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
    clearTimeout(this.#gap);
    this.#gap = setTimeout(() => this.giveUp(), GAP_MS);
  }
}
