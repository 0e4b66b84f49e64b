import type { ClaimStory, Fault } from "./claims.ts";

/** A granted claim that is over, with the times at which its grant and its end took effect. */
export interface Hold {
  readonly story: ClaimStory;
  readonly from: number;
  readonly to: number;
}

interface Change {
  readonly at: number;
  readonly what: "begin" | "end" | "look" | "looked";
  readonly story: ClaimStory;
}

/**
 * Sees that those who hold one key at once never take more than its `slots`. Holds may be told in any order; they are
 * looked at in the order of time, as far as no hold can be told any more that was earlier.
 */
export class Exclusion {
  readonly #report: (fault: Fault) => void;
  readonly #held = new Set<ClaimStory>();
  /** Grants of no length that have not met a free slot yet. */
  readonly #seeking = new Set<ClaimStory>();
  readonly #collected: number;
  #changes: Change[] = [];
  #enough: number;

  /** So many changes are collected before they are put in order, not to do that for each one. */
  constructor(report: (fault: Fault) => void, collected: number) {
    this.#report = report;
    this.#collected = collected;
    this.#enough = collected;
  }

  /** True when there is enough to look at. */
  add({ story, from, to }: Hold): boolean {
    // A hold of no length: its process was stopped or killed before it could see that it was granted.
    // It needs a moment at which a slot was free, and nobody can say which one it was.
    if (to <= from)
      this.#changes.push({ at: to, what: "look", story }, { at: from, what: "looked", story });
    else this.#changes.push({ at: from, what: "begin", story }, { at: to, what: "end", story });
    return this.#changes.length >= this.#enough;
  }

  /** How many changes it keeps. */
  get kept(): number {
    return this.#changes.length;
  }

  /** Looks at all changes before that time. */
  look(before: number): void {
    const ready = this.#changes.filter(({ at }) => at < before);
    this.#changes = this.#changes.filter(({ at }) => at >= before);
    this.#enough = Math.max(this.#collected, 2 * this.#changes.length);
    ready.sort((one, other) => one.at - other.at);
    for (const { story, what } of ready) this.#change(story, what);
  }

  #change(story: ClaimStory, what: Change["what"]): void {
    if (what === "begin") this.#begin(story);
    else if (what === "end") this.#held.delete(story);
    else if (what === "look") this.#seeking.add(story);
    else if (this.#seeking.delete(story)) {
      const sentence = `${story.id} was granted while nothing was free`;
      this.#report({ kind: "overlap", sentence });
    }
    for (const each of this.#seeking)
      if (this.#taken + each.weight <= each.slots) this.#seeking.delete(each);
  }

  #begin(story: ClaimStory): void {
    this.#held.add(story);
    if (this.#taken <= story.slots) return;
    const all = [...this.#held].map(({ id, fence }) => `${id} (${fence})`).join(", ");
    this.#report({
      kind: "overlap",
      sentence: `${this.#taken} of ${story.slots} slots of ${story.key} are held at once: ${all}`,
    });
  }

  /** The slots that are held. */
  get #taken(): number {
    let taken = 0;
    for (const { weight } of this.#held) taken += weight;
    return taken;
  }
}
