import type { HolderEntry, KeyDocument } from "../document.ts";
import type { Seen } from "./swap.ts";

/**
 * What one process has seen of a key over time, by its own monotonic clock. Only this says how long
 * a holder was silent or a turn was left untaken: the clocks of two machines are never compared.
 */
export class Sightings {
  readonly #beats = new Map<string, { beat: string; since: number }>();
  readonly #answers = new Map<string, { answer: boolean | null; at: number }>();
  #turn: { turn: string; since: number } | null = null;

  /** Takes note of a document. `isFrozen`: a turn that nobody may take is not left untaken. */
  see({ document, after }: Pick<Seen, "document" | "after">, isFrozen: boolean): void {
    for (const { id, beat } of document.holders) {
      if (this.#beats.get(id)?.beat !== beat) this.#beats.set(id, { beat, since: after });
    }
    this.#forgetBut(document);
    if (document.turn === null || isFrozen) this.#turn = null;
    else if (this.#turn?.turn !== document.turn) this.#turn = { turn: document.turn, since: after };
  }

  #forgetBut(document: KeyDocument): void {
    const present = new Set(document.holders.map(({ id }) => id));
    for (const id of this.#beats.keys()) if (!present.has(id)) this.#beats.delete(id);
  }

  /** Since when the holder has not renewed. */
  silentSince({ id }: Pick<HolderEntry, "id">): number | null {
    return this.#beats.get(id)?.since ?? null;
  }

  /** Since when the present turn is left untaken. */
  get untakenSince(): number | null {
    return this.#turn?.since ?? null;
  }

  /** What was answered about a life not long ago; undefined where it is time to ask. */
  answered(name: string, at: number, askAgain: number): boolean | null | undefined {
    const known = this.#answers.get(name);
    return known === undefined || at - known.at >= askAgain ? undefined : known.answer;
  }

  /** The answer that is known, however old. */
  lastAnswer(name: string): boolean | null {
    return this.#answers.get(name)?.answer ?? null;
  }

  heard(name: string, answer: boolean | null, at: number): void {
    this.#answers.set(name, { answer, at });
  }

  /** All of it, to compare with another one's. */
  dump(): unknown {
    return [[...this.#beats], [...this.#answers], this.#turn];
  }
}
