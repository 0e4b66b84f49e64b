import { LockError } from "../../../lock/errors.ts";
import { quote } from "../../../lock/text.ts";
import { emptyDocument, type KeyDocument } from "../document.ts";
import { DOCUMENT_BYTES_LIMIT, parseDocument, unreadable, writeDocument } from "../format.ts";
import { remembers } from "../operations/state.ts";
import { wakesOf } from "./wakes.ts";
import { type Steps, step } from "./world.ts";

/** A document as it was read, and when. */
export interface Seen {
  readonly version: string | null;
  readonly document: KeyDocument;
  readonly strong: boolean;
  /**
   * Monotonic milliseconds before and after the reading. What was first seen at the later time, and is unchanged
   * at the earlier time of another reading, was so for at least the time between them.
   */
  readonly before: number;
  readonly after: number;
}

/** Reads a key. `strong`: needed before the conclusion that something is gone or lost. */
export function* look(key: string, strong: boolean): Steps<Seen> {
  const before = yield* step("monotonic");
  const { version, text, foreign } = yield* step("read", strong);
  const after = yield* step("monotonic");
  if (foreign !== undefined) throw unreadable(key, `there is ${foreign}`);
  const document = text === null ? emptyDocument(key) : parseDocument(text, key);
  return { version, document, strong, before, after };
}

/** Reads a key after a swap of it lost. If the read shows the same state again, it lags behind. */
export function* lookAgain(key: string, lost: Seen): Steps<Seen> {
  const seen = yield* look(key, false);
  return seen.version === lost.version ? yield* look(key, true) : seen;
}

/** The swaps that one claim, release or the like has tried. It recognises them by their nonces. */
export class Tries {
  readonly #nonces: string[] = [];
  /** Versions with a swap whose answer was lost: that swap may still arrive there. */
  readonly #doubts = new Set<string | null>();

  /** Whether anything may have been written at all. */
  get any(): boolean {
    return this.#nonces.length > 0;
  }

  add(nonce: string): void {
    this.#nonces.push(nonce);
  }

  /** The answer of a swap for this version was lost. */
  lost(version: string | null): void {
    this.#doubts.add(version);
  }

  /** This version is not the current one any more, and never will be again. */
  gone(version: string | null): void {
    this.#doubts.delete(version);
  }

  /** Whether a swap whose answer was lost may still arrive if this version is the current one. */
  mayArriveAt(version: string | null): boolean {
    return this.#doubts.has(version);
  }

  /** The latest of its swaps from which this document came. */
  stoodIn(document: KeyDocument): string | null {
    return this.#nonces.findLast((nonce) => remembers(document, nonce)) ?? null;
  }

  /** Everything that was tried, to compare it with what another process tried. */
  dump(): unknown {
    return [[...new Set(this.#nonces)], [...this.#doubts]];
  }
}

/**
 * Puts the next state in the place of the state that was seen; null if somebody else was first. A lost answer is
 * settled by reading: the own nonce is there, or it is not. If it is not, and the document has not changed, the
 * swap may still be on its way; `tries` remembers that.
 */
export function* write(
  seen: Seen,
  next: KeyDocument,
  tries: Tries,
  limit = DOCUMENT_BYTES_LIMIT,
): Steps<Seen | null> {
  const written = writeDocument(next, limit);
  if (written === null) throw tooLong(next.key);
  tries.add(next.nonce);
  const swap = yield* step("swap", seen.version, written.text, wakesOf(seen.document, next));
  if (swap.outcome !== "unknown") tries.gone(seen.version);
  if (swap.outcome === "done") {
    return { ...seen, version: swap.version, document: written.document, strong: true };
  }
  if (swap.outcome === "conflict") return null;
  tries.lost(seen.version);
  const found = yield* look(next.key, true);
  if (found.version !== seen.version) tries.gone(seen.version);
  return remembers(found.document, next.nonce) ? found : null;
}

function tooLong(key: string): LockError {
  return new LockError(
    "STORE_FULL",
    `The lock document of ${quote(key)} would be longer than ${DOCUMENT_BYTES_LIMIT / 1024} KiB: too many hold it or wait for it at once.`,
  );
}

/** What an act makes of a document: a next state with its result, or nothing to do. */
export type Proposal<T> =
  | { readonly next: KeyDocument; readonly result: T }
  | { readonly settled: T };

/**
 * Changes a document until the change stands: it reads, proposes and swaps, and begins again if others were
 * first. Only a strong read can show that there is nothing to do. `latest`: what was read before; it saves a
 * reading if it is still current.
 */
export function* amend<T>(
  key: string,
  propose: (seen: Seen) => Steps<Proposal<T>>,
  tries = new Tries(),
  latest: Seen | null = null,
): Steps<T> {
  const results = new Map<string, T>();
  let seen = latest === null ? yield* look(key, false) : { ...latest, strong: false };
  for (let lost = 0; ; ) {
    const stood = tries.stoodIn(seen.document);
    if (stood !== null && results.has(stood)) return results.get(stood) as T;
    const proposal = yield* propose(seen);
    if ("settled" in proposal) {
      if (seen.strong) return proposal.settled;
      seen = yield* look(key, true);
    } else {
      results.set(proposal.next.nonce, proposal.result);
      if ((yield* write(seen, proposal.next, tries)) !== null) return proposal.result;
      if ((yield* step("backOff", lost++)) === "cancelled") throw new Cancelled("cancelled");
      seen = yield* lookAgain(key, seen);
    }
  }
}

/** Thrown if a step was cut short because the claim's time ran out or its signal fired. */
export class Cancelled extends Error {}
