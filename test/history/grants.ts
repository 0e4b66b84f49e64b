import type { ClaimStory, Fault } from "./claims.ts";

/** A grant that was answered, as later ones are compared with it. */
interface Grant {
  readonly story: ClaimStory;
  readonly fence: number;
  readonly answered: number;
  /** It was in its line without a break until its grant: nobody that came later may overtake it. */
  readonly stood: boolean;
}

/**
 * Judges the grants of one key, as they are answered: fences grow, and nobody is overtaken. It keeps
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
    const { fence, claimed, id } = story;
    const answered = story.granted as number;
    if (fence === null) return answered;
    const grant = { story, fence, answered, stood: stoodInLine(story, answered) };
    let latest = answered;
    let lower: ClaimStory | null = null;
    let overtaken: string | null = null;
    const compare = (other: Grant) => {
      if (other.fence === fence) {
        const sentence = `${id} and ${other.story.id} both have the fence ${fence}`;
        report({ kind: "fence", sentence });
      }
      if (other.fence > fence) {
        latest = Math.min(latest, other.answered);
        if (other.answered < claimed) lower = other.story;
      }
      if (overtakes(grant, other)) overtaken = `${id} came after ${other.story.id} was in line`;
      if (overtakes(other, grant)) overtaken = `${other.story.id} came after ${id} was in line`;
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
    if (overtaken !== null)
      report({ kind: "order", sentence: `${overtaken as string}, and overtook it` });
    this.#recent.push(grant);
    return Math.max(latest, claimed);
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

/** A grant has a lower fence than another one of its priority that stood in line before it came. */
function overtakes({ fence, story }: Grant, other: Grant): boolean {
  const isEqual = story.priority === other.story.priority;
  return (
    isEqual && other.stood && story.claimed > (other.story.joined as number) && fence < other.fence
  );
}

function stoodInLine({ joined, rejoined, excuse }: ClaimStory, answered: number): boolean {
  const isExcused = excuse !== null && excuse.when <= answered;
  return joined !== null && !rejoined && !isExcused;
}
