import { type ClaimStory, endOf, type Fault } from "./claims.ts";

/** So many later claims may be served before one that waits. */
const PASSES = 10;

/** A claim that is over, and what is known of its turn. */
interface Turn {
  readonly story: ClaimStory;
  /** The highest of all for one that was not seen to be granted: it may have been, at any time. */
  readonly fence: number;
  /** The earliest time at which its slots may have been free again. */
  readonly end: number;
  /** Before this its grant cannot have taken effect. */
  earliest: number;
  /** How many later claims were served before it, while it waited and was ready. */
  passes: number;
  isJudged: boolean;
}

/**
 * Judges the order in which the claims of one key were served, which is that of their fences:
 * - of one priority, the one that came first;
 * - of two priorities, the higher one, unless a claim of the lower one may be passed no more;
 * - never more than PASSES later claims before one that waits.
 *
 * When a claim joined its line, became ready and was served is only known within limits, so that only
 * what happened in an order for certain is held against anybody: who came later claimed after the
 * other was seen in line, and whoever was passed was seen there, ready, before a slot can have been
 * free for the one that was served. What may excuse a claim is counted as far as it can have been.
 */
export class Order {
  readonly #report: (fault: Fault) => void;
  readonly #together: boolean;
  #turns: Turn[] = [];

  /** `together`: claims that fit beside each other may be served in any order. */
  constructor(report: (fault: Fault) => void, together: boolean) {
    this.#report = report;
    this.#together = together;
  }

  /** Takes a claim that is over. */
  add(story: ClaimStory): void {
    const isServed = story.granted !== null;
    if (isServed && story.fence === null) return;
    const fence = isServed ? (story.fence as number) : Number.POSITIVE_INFINITY;
    const end = endOf(story);
    this.#turns.push({ story, fence, end, earliest: 0, passes: 0, isJudged: !isServed });
  }

  /** How many claims it keeps. */
  get kept(): number {
    return this.#turns.length;
  }

  /** Judges what was granted before that time: all claims that were made before it are over. */
  look(before: number): void {
    this.#turns.sort((one, other) => one.fence - other.fence);
    let last = 0;
    for (const [place, turn] of this.#turns.entries()) {
      if (!turn.isJudged) turn.earliest = Math.max(last, this.#earliest(turn, place));
      last = Math.max(last, turn.earliest);
    }
    for (const turn of this.#turns) {
      if (turn.isJudged || answerOf(turn) >= before) continue;
      turn.isJudged = true;
      this.#judge(turn);
    }
    this.#forget(before);
  }

  /** Nobody was served before it was ready, and before those that were served earlier left it room. */
  #earliest({ story }: Turn, place: number): number {
    const ready = story.ready as number;
    const held = this.#turns.slice(0, place).filter(({ end }) => end > ready);
    held.sort((one, other) => other.end - one.end);
    let room = story.slots - story.weight;
    for (const { end, story: other } of held) {
      room -= other.weight;
      if (room < 0) return end;
    }
    return ready;
  }

  #judge(turn: Turn): void {
    const { story } = turn;
    let isUrgent: boolean | null = null;
    for (const other of this.#turns) {
      const { story: waiting } = other;
      if (other.fence <= turn.fence || !isPassed(other, turn)) continue;
      if (this.#together && this.#fits(turn, waiting)) continue;
      const isLater = story.claimed > (waiting.joined as number);
      if (isLater) other.passes++;
      if (isLater && story.priority === waiting.priority)
        this.#say("order", `${story.id} came after ${waiting.id} was in line, and overtook it`);
      if (isLater && other.passes === PASSES + 1)
        this.#say("starved", `${waiting.id} was passed by ${other.passes} that came after it`);
      if (story.priority >= waiting.priority) continue;
      isUrgent ??= this.#isUrgent(turn);
      if (!isUrgent) this.#say("priority", `${story.id} was served before ${waiting.id}`);
    }
  }

  /** Whether one of its priority may have been passed so often that it was their turn. */
  #isUrgent({ story, fence, earliest }: Turn): boolean {
    const unseen = this.#turns.filter(
      (each) => each.story.granted === null && each.story.claimed < (story.granted as number),
    );
    const served = this.#turns.filter((each) => each.fence < fence);
    return this.#turns.some(({ story: due, fence: own }) => {
      const isThere = own >= fence && (due.over as number) > earliest;
      if (due.priority !== story.priority || !isThere) return false;
      const passes = [...served, ...unseen].filter(
        ({ story: each }) => arrivalOf(each) > due.claimed,
      );
      return passes.length >= PASSES;
    });
  }

  /** Whether there may have been room for both, beside those that held for certain. */
  #fits({ story, fence }: Turn, waiting: ClaimStory): boolean {
    let taken = story.weight + waiting.weight;
    for (const { story: held, fence: earlier, end } of this.#turns)
      if (earlier < fence && end > (story.granted as number)) taken += held.weight;
    return taken <= story.slots;
  }

  #say(kind: Fault["kind"], sentence: string): void {
    this.#report({ kind, sentence });
  }

  /** Keeps what one that is not judged yet can still have met, and what those can have met. */
  #forget(before: number): void {
    const left = this.#turns.filter(({ isJudged }) => !isJudged);
    const first = firstOf(left, before);
    const met = this.#turns.filter(({ story }) => (story.over as number) >= first);
    const oldest = firstOf(met, first);
    this.#turns = this.#turns.filter(({ story }) => (story.over as number) >= oldest);
  }
}

/** Whether a claim that was served later was in line, and ready, before the other one can have been served. */
function isPassed({ story }: Turn, { earliest }: Turn): boolean {
  const { stands, rejoined, excuse, granted } = story;
  if (granted === null || stands === null || rejoined) return false;
  return stands < earliest && (excuse === null || excuse.when > granted);
}

/** The latest time at which it can have joined the line. */
function arrivalOf({ joined, rejoined, granted, over }: ClaimStory): number {
  const known = rejoined ? granted : (joined ?? granted);
  return known ?? (over as number);
}

function answerOf({ story }: Turn): number {
  return story.granted as number;
}

function firstOf(turns: readonly Turn[], before: number): number {
  return Math.min(before, ...turns.map(({ story }) => story.claimed));
}
