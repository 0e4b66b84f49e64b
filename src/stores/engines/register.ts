import type { ServerClock } from "../remote/server-clock.ts";

/**
 * A register keeps one small text (the document) per key and replaces it only where nobody else has
 * in between. It knows nothing of locks: the document protocol above it does, so that a new engine
 * costs one file and not one more lock protocol.
 *
 * Whatever fails is a LockError: STORE_UNREACHABLE where trying again may help (nobody answered, a
 * passing 5xx), STORE_REFUSED where it will not (a wrong password, no right to write, another kind of
 * server). Every call takes a signal; one that fires ends the call with its reason.
 */
export interface Register extends Documents {
  /** As the user would write it, normalised and without any password: it is shown and saved. */
  readonly url: string;
  readonly traits: RegisterTraits;

  /**
   * Opens a session, in which one claim reads, swaps and waits in its own name. It shows no life before
   * `begin`. `deadAfter`: milliseconds of silence after which the others may count it as dead.
   */
  session(id: string, deadAfter: number): Session;

  /**
   * Which of these sessions live. One that is left out is not known: nobody counts as dead by that. An
   * engine without signs of life (`traits.signs`) knows of none.
   */
  alive(ids: readonly string[], options?: CallOptions): Promise<AliveSessions>;

  /** Every key that has a document. */
  keys(options?: CallOptions): Promise<string[]>;

  /**
   * Throws what keeps this user from writing, as a swap would, and changes nothing. Only registers
   * that can find out without a trace have it.
   */
  mayWrite?(options?: CallOptions): Promise<void>;

  /**
   * Removes what claims that were killed have left besides the documents, and names it. Only registers
   * whose engine does not forget it by itself have it.
   */
  tidy?(options: CallOptions & { readonly dryRun: boolean }): Promise<string[]>;

  /** The engine's own, as its answers tell it. Absent where they do not. */
  readonly clock?: ServerClock;

  close(): Promise<void>;
}

/** What can be done with documents: by nobody in particular on the register, or by a claim in its session. */
export interface Documents {
  /**
   * The document as it is. With `strong`, the answer is at least as new as the moment of asking;
   * without, it may lag behind the latest swap, as a replica or a cache does.
   */
  read(key: string, options?: ReadOptions): Promise<Version>;

  /**
   * Replaces the document of `version` (null: there was none) by `next`.
   * - "done": it stands, and `version` is its new version.
   * - "conflict": somebody else was first, or `version` was old; nothing has changed.
   * - "unknown": the answer was lost. It may stand or not: the caller reads and looks for its own
   *   nonce, and never tries again blindly. Only what cannot have arrived may be thrown instead.
   */
  swap(key: string, version: string | null, next: string, options?: SwapOptions): Promise<Swap>;

  /**
   * Resolves when the document may have left `version`: at once where a watch sees it, else after
   * `pause` milliseconds, which the caller chooses by its place in line. It may resolve too early
   * (nothing has changed), and it never resolves later than `pause`. The caller reads anew. In a
   * session that shows life it has to wake only for swaps that name it, after its own latest read.
   */
  changed(key: string, version: string | null, options: ChangedOptions): Promise<void>;
}

/**
 * One claim at the engine. From `begin` to `end` it shows that its process lives, by the engine's own
 * clock and apart from the documents: a heartbeat is not a swap that all claims of a key contend for.
 * Where the engine has no signs of life (git), these three do nothing.
 */
export interface Session extends Documents {
  readonly id: string;
  /**
   * Lives from here on, where the engine can from the session's next swap on, which then costs no
   * request of its own. That swap gives the sign of life also where it is a conflict.
   */
  begin(options?: CallOptions): Promise<void>;
  /** Lives for `deadAfter` from now. */
  renew(options?: CallOptions): Promise<void>;
  /** Dies at once, in good order. One that is dead already is no error. */
  end(options?: CallOptions): Promise<void>;
}

export interface RegisterTraits {
  /** `changed` is woken by an event. False: it polls, and every call costs somebody's budget. */
  readonly push: boolean;
  /** Milliseconds, from and to, that a swap which lost waits before it tries again. */
  readonly backoff: readonly [number, number];
  /** `swap` knows `needs`. */
  readonly conditional?: boolean;
  /** Absent where the engine has no signs of life. */
  readonly signs?: SignTraits;
}

/** Bounds of the signs of life, in milliseconds. */
export interface SignTraits {
  /** The shortest `deadAfter` that the engine can keep. */
  readonly leastDeadAfter: number;
  /**
   * The engine may answer nobody for so long though it is well, such as while it chooses a new leader: a
   * holder that cannot renew its session for so long goes on. Default: 0.
   */
  readonly outage?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Told where the engine makes the caller wait (429, Retry-After): one sentence for the log. */
  readonly onTrouble?: (sentence: string) => void;
}

export interface ReadOptions extends CallOptions {
  readonly strong?: boolean;
  /** The answer may be as old as a list of keys of a moment ago. */
  readonly listed?: boolean;
}

/** What an engine may do in the same stroke as a swap. One that cannot leaves it out. */
export interface SwapOptions extends CallOptions {
  /** The session is no longer needed where the swap stands. It may end later. */
  readonly ends?: boolean;
  /** Sessions that have to live at the moment of the swap, else it is a conflict. */
  readonly needs?: readonly string[];
  /** The sessions of the others whom the swap concerns. `changed` has to wake them; others may wake. */
  readonly wakes?: readonly string[];
}

export interface ChangedOptions extends CallOptions {
  readonly pause: number;
}

/** Null twice where the key has no document. `version` is opaque: only equality means anything. */
export interface Version {
  readonly version: string | null;
  readonly text: string | null;
  /** What is in the place of the document, where it is nothing that could be one. A swap replaces it. */
  readonly foreign?: string | undefined;
}

export type Swap =
  | { readonly outcome: "done"; readonly version: string }
  | { readonly outcome: "conflict" }
  | { readonly outcome: "unknown"; readonly why: string };

/** By the id of a session: whether it lives. */
export type AliveSessions = ReadonlyMap<string, boolean>;
