import { type ClaimStory, type Fault, storiesOf } from "./claims.ts";
import type { Event } from "./event.ts";

export interface Verdict {
  readonly faults: readonly Fault[];
  /** What cannot be judged, since the history does not tell how it ended. */
  readonly unknown: readonly string[];
  readonly claims: number;
  readonly grants: number;
}

export interface CheckOptions {
  /** Microseconds within which a holder that was stopped or broken has to be told, once it can be. */
  readonly tellWithin: number;
  /** False for stores that do not promise the order of arrival. */
  readonly fair?: boolean;
}

/** A granted claim, with the time at which its grant and its end can have taken effect. */
interface Hold {
  readonly story: ClaimStory;
  readonly from: number;
  readonly to: number;
}

/**
 * Decides whether a history is one of a fair, fenced lock with slots.
 *
 * A grant took effect at some time between its claim and its answer, and a release between its call
 * and its answer. The history is legal where such times can be chosen that never more than `slots`
 * hold and the fences grow. The best choice is known: grants as late as the order of their fences
 * allows, ends as early as they can be. So the decision is exact, and needs no search.
 */
export function check(events: readonly Event[], options: CheckOptions): Verdict {
  const { stories, faults } = storiesOf(events);
  const unknown: string[] = [];
  for (const own of groupByKey(stories).values()) {
    const holds = holdsOf(own, faults);
    faults.push(...overlaps(holds));
    if (options.fair !== false) faults.push(...wrongOrder(own));
    for (const story of own) faults.push(...ofOne(story, options));
    unknown.push(...own.filter(isUnfinished).map(({ id }) => `${id} has no end`));
  }
  const grants = stories.filter(({ granted }) => granted !== null).length;
  return { faults, unknown, claims: stories.length, grants };
}

function groupByKey(stories: readonly ClaimStory[]): Map<string, ClaimStory[]> {
  return Map.groupBy(stories, ({ key }) => key);
}

/** Chooses the time of each grant: its answer, or earlier where a higher fence was answered before. */
function holdsOf(stories: readonly ClaimStory[], faults: Fault[]): Hold[] {
  const granted = stories
    .filter((story) => story.granted !== null)
    .sort((one, other) => orderOf(one) - orderOf(other));
  const holds: Hold[] = [];
  let latest = Number.POSITIVE_INFINITY;
  let higher: ClaimStory | null = null;
  for (const story of granted.toReversed()) {
    if (higher !== null && story.fence !== null && story.fence === higher.fence)
      faults.push(
        fault("fence", `${story.id} and ${higher.id} both have the fence ${story.fence}`),
      );
    const answered = story.granted as number;
    if (answered < latest) {
      latest = answered;
      higher = story;
    }
    if (latest < story.claimed)
      faults.push(
        fault("fence", `${story.id} has ${story.fence}, less than ${higher?.id}, granted before`),
      );
    const from = Math.max(latest, story.claimed);
    holds.push({ story, from, to: endOf(story) });
  }
  return holds;
}

/** By fence; where a store gives none, by the time of the answer. */
function orderOf({ fence, granted }: ClaimStory): number {
  return fence ?? (granted as number);
}

/** The earliest time at which the lock may have been another's. */
function endOf({ release, released, lost, excuse }: ClaimStory): number {
  const isOwnRelease = release !== null && released?.outcome === "released";
  if (isOwnRelease) return release;
  const ends = [release, lost, excuse?.at ?? null].filter((end) => end !== null);
  return ends.length === 0 ? Number.POSITIVE_INFINITY : Math.min(...ends);
}

function overlaps(holds: readonly Hold[]): Fault[] {
  const changes = holds
    .filter((hold) => !isGhost(hold))
    .flatMap((hold) => [
      { at: hold.from, hold, begins: true },
      { at: hold.to, hold, begins: false },
    ]);
  // An end and a grant at the same time are in the order that is legal.
  changes.sort((one, other) => one.at - other.at || Number(one.begins) - Number(other.begins));
  const held = new Set<ClaimStory>();
  const faults: Fault[] = [];
  const full: { readonly at: number; readonly isFull: boolean }[] = [];
  for (const { hold, begins, at } of changes) {
    const { story } = hold;
    if (begins) held.add(story);
    else held.delete(story);
    full.push({ at, isFull: held.size >= story.slots });
    if (!begins || held.size <= story.slots) continue;
    const all = [...held].map(({ id, fence }) => `${id} (${fence})`).join(", ");
    faults.push(fault("overlap", `${held.size} hold ${story.key} at once: ${all}`));
  }
  for (const ghost of holds.filter(isGhost)) {
    if (wasFree(full, Math.max(ghost.story.claimed, ghost.to), ghost.from)) continue;
    faults.push(fault("overlap", `${ghost.story.id} was granted while nothing was free`));
  }
  return faults;
}

/** A hold of no length: its process was stopped or killed before it could see that it was granted. */
function isGhost({ from, to }: Hold): boolean {
  return to < from;
}

/** Whether a slot was free at some moment between two times. */
function wasFree(
  full: readonly { readonly at: number; readonly isFull: boolean }[],
  from: number,
  to: number,
): boolean {
  const before = full.findLast(({ at }) => at <= from);
  const within = full.filter(({ at }) => at > from && at <= to);
  return before?.isFull !== true || within.some(({ isFull }) => !isFull);
}

/** A claim that stood in line before another one came has to have the lower fence. */
function wrongOrder(stories: readonly ClaimStory[]): Fault[] {
  const inLine = stories
    .filter(({ fence, joined, excuse, granted, rejoined }) => {
      const isExcused = excuse !== null && excuse.at <= (granted ?? 0);
      return fence !== null && joined !== null && !isExcused && !rejoined;
    })
    .sort((one, other) => (one.joined as number) - (other.joined as number));
  const later = stories
    .filter(({ fence }) => fence !== null)
    .sort((one, other) => one.claimed - other.claimed);
  const faults: Fault[] = [];
  let next = 0;
  let last: ClaimStory | null = null;
  for (const story of later) {
    for (; next < inLine.length; next++) {
      const before = inLine[next] as ClaimStory;
      if ((before.joined as number) >= story.claimed) break;
      if (last === null || (before.fence as number) > (last.fence as number)) last = before;
    }
    if (last !== null && (last.fence as number) > (story.fence as number))
      faults.push(fault("order", `${story.id} came after ${last.id} was in line, and overtook it`));
  }
  return faults;
}

/** What can be said of a claim by itself: nobody robs it, and it is told of a loss in time. */
function ofOne(story: ClaimStory, { tellWithin }: CheckOptions): Fault[] {
  const { id, excuse, released, lost, resumed, isCutOff } = story;
  const faults: Fault[] = [];
  if (released?.outcome === "already-gone" && excuse === null && lost === null && !isCutOff)
    faults.push(fault("robbed", `${id} was never told, and its lock was gone at its release`));
  const told = lost ?? released?.at ?? null;
  if (lost !== null && resumed !== null && told !== null && told - resumed > tellWithin)
    faults.push(fault("late", `${id} was told of its loss only after ${told - resumed} µs`));
  return faults;
}

/** Neither answered nor ended by a kill; or granted, and neither released nor told of its loss. */
function isUnfinished({ granted, gaveUp, release, lost, killed }: ClaimStory): boolean {
  if (killed) return false;
  return granted === null ? gaveUp === null : release === null && lost === null;
}

function fault(kind: Fault["kind"], sentence: string): Fault {
  return { kind, sentence };
}
