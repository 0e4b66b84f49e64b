/** Why a claim is over. */
export type EndReason =
  | "released"
  | "withdrawn"
  | "hangup"
  | "expired"
  | "broken"
  | "shutdown"
  /** A newer claim came that wants to be the newest, as this one did. */
  | "superseded"
  /** Its run has the lock now, through another claim. */
  | "shared";

/** Why an operator broke a lock, and who that was, where it was said. */
export interface Breaking {
  readonly reason: string;
  readonly by: string | null;
}

/** The newer claim that ended an older one: its owner, and the page of its run. */
export interface Newer {
  readonly by: string;
  readonly url: string | null;
}
