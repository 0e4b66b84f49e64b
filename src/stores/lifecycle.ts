import type { LockError } from "../lock/errors.ts";
import type { Term } from "../lock/time.ts";
import { aborted } from "./sentences.ts";

/** What a store does at each point of a claim's life. */
export interface Life<Grant, Held> {
  /** Stands in line until the lock is granted; null: it was not, and the line is left. */
  stand(): Promise<Grant | null>;
  /** What the caller is given. */
  hold(grant: Grant): Held;
  /** Comes after both, whatever came of them: what belonged to the claim alone ends here. */
  end(isHeld: boolean): Promise<void> | void;
  /** Why a claim whose time is over has got nothing. `limit`: the milliseconds that it was ready to wait. */
  whyNot(limit: number): Promise<LockError>;
}

/** Goes through the life of a claim: it stands in line, and then it is held or was not acquired. */
export async function live<Grant, Held>(term: Term, life: Life<Grant, Held>): Promise<Held> {
  let isHeld = false;
  try {
    const grant = term.signal.aborted ? null : await life.stand();
    if (grant !== null) {
      isHeld = true;
      return life.hold(grant);
    }
  } finally {
    term.clear();
    await life.end(isHeld);
  }
  throw term.isCancelled ? aborted() : await life.whyNot(term.asked ?? 0);
}
