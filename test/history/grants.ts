import type { ClaimStory, Fault } from "./claims.ts";

/** A grant that was answered, as later ones are compared with it. */
interface Grant {
  readonly story: ClaimStory;
  readonly fence: number;
  readonly answered: number;
}

/**
 * Judges the grants of one key, as they are answered: fences grow. It keeps
 * those grants that a claim which is not over can still meet; of the others it knows the highest fence.
 */
export class Grants {
  #recent: Grant[] = [];
  #highest: Grant | null = null;

  /**
   * Answers when the grant took effect: at its answer, or before, where a higher fence was answered
   * earlier. Nothing can be said against the latest time that the order of the fences allows.
   */
  add(story: ClaimStory, report: (fault: Fault) => void): number {
    const { fence, id } = story;
    const ready = story.ready as number;
    const answered = story.granted as number;
    if (fence === null) return answered;
    const grant = { story, fence, answered };
    let latest = answered;
    let lower: ClaimStory | null = null;
    const compare = (other: Grant) => {
      if (other.fence === fence) {
        const sentence = `${id} and ${other.story.id} both have the fence ${fence}`;
        report({ kind: "fence", sentence });
      }
      if (other.fence > fence) {
        latest = Math.min(latest, other.answered);
        if (other.answered < ready) lower = other.story;
      }
    };
    if (this.#highest !== null) compare(this.#highest);
    for (const other of this.#recent) compare(other);
    if (lower !== null) {
      const before = (lower as ClaimStory).id;
      report({
        kind: "fence",
        sentence: `${id} has ${fence}, less than ${before}, granted before`,
      });
    }
    this.#recent.push(grant);
    return Math.max(latest, ready);
  }

  /** How many grants it keeps. */
  get kept(): number {
    return this.#recent.length;
  }

  /** Forgets what was answered before any claim that is not over yet was made. */
  forget(before: number): void {
    const old = this.#recent.filter(({ answered }) => answered < before);
    this.#recent = this.#recent.filter(({ answered }) => answered >= before);
    for (const grant of old)
      if (this.#highest === null || grant.fence > this.#highest.fence) this.#highest = grant;
  }
}
