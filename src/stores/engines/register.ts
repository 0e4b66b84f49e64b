import type { ServerClock } from "../remote/server-clock.ts";

/**
 * A register keeps one small text (the document) per key, and replaces it only if nobody else has replaced it in
 * between. It knows nothing of locks, the document protocol above it does: so a new engine costs a register, and
 * not one more lock protocol.
 *
 * Whatever fails is a LockError: STORE_UNREACHABLE if trying again may help (nobody answered, a passing 5xx),
 * STORE_REFUSED if it will not (a wrong password, no right to write, another kind of server). Every call takes a
 * signal. A signal that fires ends the call with its reason.
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
   * Which of these sessions live. A session that is left out is not known, and does not count as dead. An engine
   * without signs of life (`traits.signs`) knows of none.
   */
  alive(ids: readonly string[], options?: CallOptions): Promise<AliveSessions>;

  /** Every key that has a document. */
  keys(options?: CallOptions): Promise<string[]>;

  /**
   * Throws what keeps this user from writing, as a swap would, and changes nothing. Only registers that can find
   * out without leaving a trace have it.
   */
  mayWrite?(options?: CallOptions): Promise<void>;

  /**
   * Removes what claims that were killed have left besides the documents, and names it. Only registers whose
   * engine does not forget that by itself have it.
   */
  tidy?(options: CallOptions & { readonly dryRun: boolean }): Promise<string[]>;

  /** The engine's own clock, as its answers tell it. Absent if they do not. */
  readonly clock?: ServerClock;

  close(): Promise<void>;
}

/** What can be done with documents: on the register in nobody's name, or by a claim in its session. */
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
 * One claim at the engine. From `begin` to `end` it shows that its process lives, by the engine's own clock and
 * apart from the documents: so a heartbeat is not a swap for which all claims of a key contend. If the engine
 * has no signs of life (git), these three do nothing.
 */
export interface Session extends Documents {
  readonly id: string;
  /**
   * The session lives from here on. If the engine can, it lives from the session's next swap on, which then
   * costs no request of its own. That swap gives the sign of life even if it is a conflict.
   */
  begin(options?: CallOptions): Promise<void>;
  /** Lives for `deadAfter` from now. */
  renew(options?: CallOptions): Promise<void>;
  /** Dies at once, in good order. It is no error if it is dead already. */
  end(options?: CallOptions): Promise<void>;
}

export interface RegisterTraits {
  /** `changed` is woken by an event. False: it polls, and every call costs somebody's budget. */
  readonly push: boolean;
  /** Milliseconds, from and to, that a claim waits after a swap that lost. */
  readonly backoff: readonly [number, number];
  /** `swap` knows `needs`. */
  readonly conditional?: boolean;
  /** Absent if the engine has no signs of life. */
  readonly signs?: SignTraits;
}

/** Bounds of the signs of life, in milliseconds. */
export interface SignTraits {
  /** The shortest `deadAfter` that the engine can keep. */
  readonly leastDeadAfter: number;
  /**
   * How long the engine may answer nobody though it is well, such as while it chooses a new leader. A holder
   * that cannot renew its session for so long goes on. Default: 0.
   */
  readonly outage?: number;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Told if the engine makes the caller wait (429, Retry-After): one sentence for the log. */
  readonly onTrouble?: (sentence: string) => void;
}

export interface ReadOptions extends CallOptions {
  readonly strong?: boolean;
  /** The answer may be as old as a list of keys from a moment ago. */
  readonly listed?: boolean;
}

/** What an engine may do in the same stroke as a swap. An engine that cannot leaves it out. */
export interface SwapOptions extends CallOptions {
  /** The session is not needed any more once the swap stands. It may end later. */
  readonly ends?: boolean;
  /** Sessions that have to live at the moment of the swap, else it is a conflict. */
  readonly needs?: readonly string[];
  /** Sessions of other claims that the swap concerns. `changed` has to wake these; it may wake others. */
  readonly wakes?: readonly string[];
}

export interface ChangedOptions extends CallOptions {
  readonly pause: number;
}

/** Both are null if the key has no document. `version` is opaque: only equality means anything. */
export interface Version {
  readonly version: string | null;
  readonly text: string | null;
  /** What is in the place of the document, if it can be no document. A swap replaces it. */
  readonly foreign?: string | undefined;
}

export type Swap =
  | { readonly outcome: "done"; readonly version: string }
  | { readonly outcome: "conflict" }
  | { readonly outcome: "unknown"; readonly why: string };

/** Whether a session lives, by its id. */
export type AliveSessions = ReadonlyMap<string, boolean>;
