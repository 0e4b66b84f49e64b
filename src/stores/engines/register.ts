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
export interface Register {
  /** As the user would write it, normalised and without any password: it is shown and saved. */
  readonly url: string;
  readonly traits: RegisterTraits;

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
   * (nothing has changed), and it never resolves later than `pause`. The caller reads anew.
   */
  changed(key: string, version: string | null, options: ChangedOptions): Promise<void>;

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

  /** Signs of life, kept by the engine's own clock. Absent where the engine has none (git). */
  readonly beacons?: Beacons;

  close(): Promise<void>;
}

export interface RegisterTraits {
  /** `changed` is woken by an event. False: it polls, and every call costs somebody's budget. */
  readonly push: boolean;
  /** Milliseconds, from and to, that a swap which lost waits before it tries again. */
  readonly backoff: readonly [number, number];
  /** `swap` knows `needs`. */
  readonly conditional?: boolean;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Told where the engine makes the caller wait (429, Retry-After): one sentence for the log. */
  readonly onTrouble?: (sentence: string) => void;
}

export interface ReadOptions extends CallOptions {
  readonly strong?: boolean;
  /** The caller's own: the next `changed` with it needs to wake only for what came after this read. */
  readonly beacon?: string | undefined;
}

/** What an engine may do in the same stroke as a swap. One that cannot leaves it out. */
export interface SwapOptions extends CallOptions {
  /** A beacon of this register that was kindled: it burns from here on, also where the swap lost. */
  readonly lights?: string | undefined;
  /** A beacon of this register that is no longer needed where the swap stands. It may go out later. */
  readonly douses?: string | undefined;
  /** Beacons that have to burn at the moment of the swap, else it is a conflict. */
  readonly needs?: readonly string[];
  /**
   * The beacons of those whom the swap concerns, but for the swapper itself. `changed` with one of
   * them has to wake; others may.
   */
  readonly wakes?: readonly string[];
}

export interface ChangedOptions extends CallOptions {
  readonly pause: number;
  /** The caller's own: it needs to be woken only by swaps that name it. */
  readonly beacon?: string | undefined;
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

/** By the id of a beacon: whether it burns. */
export type Lit = ReadonlyMap<string, boolean>;

/**
 * A beacon is a sign that a process lives: it burns for a time after it was last lit, by the engine's
 * clock. So a heartbeat is not a swap that all claims of a key contend for.
 */
export interface Beacons {
  /** Lights a beacon, or keeps it lit, for `deadAfter` milliseconds from now. */
  light(id: string, deadAfter: number, options?: CallOptions): Promise<void>;
  /**
   * Where lighting takes two steps: the first of them. The second one is the next swap with `lights`,
   * or the next `light`.
   */
  kindle?(id: string, deadAfter: number, options?: CallOptions): Promise<void>;
  /** Puts it out, for an orderly end. A beacon that is already out is no error. */
  douse(id: string, options?: CallOptions): Promise<void>;
  /** Which of these burn. One that is left out is not known: nobody counts as dead by that. */
  lit(ids: readonly string[], options?: CallOptions): Promise<Lit>;
  /** The shortest `deadAfter` in milliseconds that the engine can keep. */
  readonly minimum: number;
  /**
   * Milliseconds for which the engine may answer nobody though it is well, such as while it chooses a
   * new leader: a holder that cannot light its beacon for so long goes on. Default: 0.
   */
  readonly outage?: number;
}
