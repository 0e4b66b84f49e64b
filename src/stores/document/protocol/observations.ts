import type { Freeze } from "../../../lock/status.ts";
import type { FrozenSlot, HolderEntry, KeyDocument, WaiterEntry } from "../document.ts";
import { freezesOf } from "../operations/keep.ts";
import { remembers } from "../operations/state.ts";
import type { Seen } from "./swap.ts";

/**
 * What one process has seen of a key over time, by its own monotonic clock. Only this says how long
 * a holder was silent or a turn was left untaken: the clocks of two machines are never compared.
 */
export class Observations {
  readonly #beats = new Map<string, { nonce: string; since: number }>();
  readonly #refreshes = new Map<string, { nonce: string; since: number }>();
  readonly #answers = new Map<string, { answer: boolean | null; at: number }>();
  /** Signs of life, by claim in line. */
  readonly #signs = new Map<string, { nonce: string; since: number }>();
  #turn: { turn: string; since: number } | null = null;
  #overdue: { turn: string; since: number } | null = null;
  /** By what names a freeze. */
  #freezes: ReadonlyMap<string, number> = new Map();
  #began: number | null = null;
  /** The last document that it took note of. */
  #latest: KeyDocument | null = null;

  /**
   * Whether a document is older than one that was seen before: then it was read where writes arrive late. Taking
   * note of it would begin everybody's time anew.
   */
  isOlder({ nonce }: KeyDocument): boolean {
    const latest = this.#latest;
    return latest !== null && nonce !== latest.nonce && (nonce === "" || remembers(latest, nonce));
  }

  /** Takes note of a document. `isFrozen`: a turn that nobody may take is not left untaken. */
  see({ document, after }: Pick<Seen, "document" | "after">, isFrozen: boolean): void {
    this.#began ??= after;
    this.#latest = document;
    for (const { id, beat, refresh } of document.holders) {
      if (this.#beats.get(id)?.nonce !== beat) this.#beats.set(id, { nonce: beat, since: after });
      if (this.#refreshes.get(id)?.nonce !== refresh)
        this.#refreshes.set(id, { nonce: refresh, since: after });
    }
    for (const { id, sign } of document.line)
      if (sign !== undefined && this.#signs.get(id)?.nonce !== sign)
        this.#signs.set(id, { nonce: sign, since: after });
    this.#forgetBut(document);
    const freezes = freezesOf(document).map(freezeName);
    this.#freezes = new Map(freezes.map((name) => [name, this.#freezes.get(name) ?? after]));
    if (document.turn === null || isFrozen) this.#turn = null;
    else if (this.#turn?.turn !== document.turn) this.#turn = { turn: document.turn, since: after };
  }

  /**
   * Takes note that a claim's turn has come though no slot is free: the holders may be reclaimed. `turn` names
   * it; null: it has not come.
   */
  seeOverdue(turn: string | null, { after }: Pick<Seen, "after">): void {
    if (turn === null) this.#overdue = null;
    else if (this.#overdue?.turn !== turn) this.#overdue = { turn, since: after };
  }

  #forgetBut(document: KeyDocument): void {
    const present = new Set([...document.holders, ...document.line].map(({ id }) => id));
    for (const seen of [this.#beats, this.#refreshes, this.#signs])
      for (const id of seen.keys()) if (!present.has(id)) seen.delete(id);
  }

  /** Since when this process looks at the key; null: it has not yet. */
  get began(): number | null {
    return this.#began;
  }

  /** Since when the holder has given no sign of life. */
  silentSince({ id }: Pick<HolderEntry, "id">): number | null {
    return this.#beats.get(id)?.since ?? null;
  }

  /** Since when the holder has not refreshed its ttl. */
  unrefreshedSince({ id }: Pick<HolderEntry, "id">): number | null {
    return this.#refreshes.get(id)?.since ?? null;
  }

  /** Since when this process knows the freeze. */
  frozenSince(freeze: Freeze | FrozenSlot): number | null {
    return this.#freezes.get(freezeName(freeze)) ?? null;
  }

  /** Since when the present turn is left untaken. */
  get untakenSince(): number | null {
    return this.#turn?.since ?? null;
  }

  /** When one of these claims last gave a sign of life since the turn began; null: none did. */
  signed(claims: readonly Pick<WaiterEntry, "id">[]): number | null {
    const { untakenSince } = this;
    const times = claims.flatMap(({ id }) => this.#signs.get(id)?.since ?? []);
    const latest = Math.max(...times);
    return untakenSince !== null && latest > untakenSince ? latest : null;
  }

  /** Since when a slot is free and none of these claims, whose turn is now, has shown that it lives. */
  quietSince(claims: readonly Pick<WaiterEntry, "id">[]): number | null {
    return this.signed(claims) ?? this.untakenSince;
  }

  /** Since when the first in line could reclaim the lock, and has not done so. */
  get overdueSince(): number | null {
    return this.#overdue?.since ?? null;
  }

  /** Whether it is time to ask about a life. */
  isDue(name: string, at: number, askAgain: number): boolean {
    const known = this.#answers.get(name);
    return known === undefined || at - known.at >= askAgain;
  }

  /** The last answer that is known, however old. */
  lastAnswer(name: string): boolean | null {
    return this.#answers.get(name)?.answer ?? null;
  }

  heard(name: string, answer: boolean | null, at: number): void {
    this.#answers.set(name, { answer, at });
  }

  /** Everything that was seen, to compare it with what another process saw. */
  dump(): unknown {
    return [
      [...this.#beats],
      [...this.#refreshes],
      [...this.#answers],
      [...this.#signs],
      this.#turn,
      this.#overdue,
      [...this.#freezes],
      this.#began,
      this.#latest?.nonce,
    ];
  }
}

/** Tells a freeze from the one before it, and from those of other slots. */
function freezeName(freeze: Freeze | FrozenSlot): string {
  return `${"slot" in freeze ? freeze.slot : "key"} ${freeze.since}`;
}
