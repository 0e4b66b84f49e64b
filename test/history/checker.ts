import { type ClaimListener, type ClaimStory, Claims, endOf, type Fault } from "./claims.ts";
import type { Event } from "./event.ts";
import { Exclusion } from "./exclusion.ts";
import { Grants } from "./grants.ts";
import { Order } from "./order.ts";

export interface Verdict {
  readonly faults: readonly Fault[];
  /** What cannot be judged, since the history does not tell how it ended. */
  readonly unknown: readonly string[];
  readonly claims: number;
  readonly grants: number;
  /** Grants of claims that kept their places over a restart, and were judged by their order. */
  readonly carried: number;
}

export interface CheckOptions {
  /** Microseconds within which a holder that was stopped or broken has to be told, once it can be. */
  readonly tellWithin: number;
  /** False for stores that do not promise the order of arrival. */
  readonly fair?: boolean;
  /** Where slots are free for several of the line, they may be served in any order. */
  readonly together?: boolean;
  /** Microseconds after which a place in line is on the disk of a server that keeps it over a restart. */
  readonly recordedWithin?: number;
  /** Changes of a key that are collected before they are looked at; the verdict does not depend on it. */
  readonly collected?: number;
}

const COLLECTED = 64;
/** Ten times as long as the server gathers before it writes: time for a slow disk. */
const RECORDED_WITHIN = 500_000;

/** What is known of one key. */
interface Key {
  /** Claims that are not over, in the order in which they were made. */
  readonly open: Set<ClaimStory>;
  readonly grants: Grants;
  readonly exclusion: Exclusion;
  readonly order: Order;
}

/**
 * Decides whether a history is one of a fair, fenced lock with slots.
 *
 * A grant took effect at some time between its claim and its answer, and a release between its call
 * and its answer. The history is legal where such times can be chosen that never more than `slots`
 * hold and the fences grow. The best choice is known: grants as late as the order of their fences
 * allows, ends as early as they can be. So the decision is exact, and needs no search.
 *
 * It is also made while the history goes on: a claim changes nothing before the time at which it was
 * made, so all that was before the oldest claim that is not over is settled, and forgotten.
 */
export class Checker {
  readonly faults: Fault[] = [];
  readonly unknown: string[] = [];
  claims = 0;
  grants = 0;
  carried = 0;
  readonly #options: CheckOptions;
  readonly #keys = new Map<string, Key>();
  readonly #claims: Claims;

  constructor(options: CheckOptions) {
    this.#options = options;
    const listener: ClaimListener = {
      claimed: (story) => this.#claimed(story),
      granted: (story) => this.#granted(story),
      over: (story) => this.#over(story),
    };
    const { recordedWithin = RECORDED_WITHIN } = options;
    this.#claims = new Claims(listener, this.faults, recordedWithin);
  }

  /** Takes the next event of the history. */
  follow(event: Event): void {
    this.#claims.follow(event);
  }

  /** How many claims, grants and changes it keeps for now: what is settled is forgotten. */
  get kept(): number {
    const keys = [...this.#keys.values()];
    return keys.reduce(
      (sum, { open, grants, exclusion, order }) =>
        sum + open.size + grants.kept + exclusion.kept + order.kept,
      0,
    );
  }

  /** After the last event. */
  verdict(): Verdict {
    this.#claims.end();
    for (const { exclusion, order } of this.#keys.values()) {
      exclusion.look(Number.POSITIVE_INFINITY);
      order.look(Number.POSITIVE_INFINITY);
    }
    const { faults, unknown, claims, grants, carried } = this;
    return { faults, unknown, claims, grants, carried };
  }

  #claimed(story: ClaimStory): void {
    this.claims++;
    this.#key(story).open.add(story);
  }

  #granted(story: ClaimStory): void {
    this.grants++;
    if (story.carried && !story.rejoined) this.carried++;
    story.effective = this.#key(story).grants.add(story, (fault) => this.faults.push(fault));
  }

  #over(story: ClaimStory): void {
    const { open, exclusion, grants, order } = this.#key(story);
    open.delete(story);
    if (this.#options.fair !== false) order.add(story);
    this.faults.push(...ofOne(story, this.#options));
    if (isUnfinished(story)) this.unknown.push(`${story.id} has no end`);
    if (story.effective === null) return;
    const isEnough = exclusion.add({ story, from: story.effective, to: endOf(story) });
    if (!isEnough) return;
    const [oldest] = open;
    const settled = oldest?.claimed ?? Number.POSITIVE_INFINITY;
    exclusion.look(settled);
    order.look(settled);
    grants.forget(settled);
  }

  #key({ key: name }: ClaimStory): Key {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const { collected = COLLECTED, together = false } = this.#options;
    const report = (fault: Fault) => this.faults.push(fault);
    const exclusion = new Exclusion(report, collected);
    const order = new Order(report, together);
    const key = { open: new Set<ClaimStory>(), grants: new Grants(), exclusion, order };
    this.#keys.set(name, key);
    return key;
  }
}

/** Judges a history that is at hand as a whole, sorted by its clock. */
export function check(events: readonly Event[], options: CheckOptions): Verdict {
  const checker = new Checker(options);
  for (const event of events.toSorted((one, other) => one.at - other.at)) checker.follow(event);
  return checker.verdict();
}

/** What can be said of a claim by itself: nobody robs it, and it is told of a loss in time. */
function ofOne(story: ClaimStory, { tellWithin }: CheckOptions): Fault[] {
  const { id, excuse, released, lost, delay, isCutOff, sinceShaken } = story;
  // A connection that an outage has broken may have ended its lock: there was no time to tell it yet.
  const isShaken = sinceShaken !== null && sinceShaken <= tellWithin;
  const isExcused = excuse !== null || lost !== null || isCutOff || isShaken;
  const faults: Fault[] = [];
  if (released?.outcome === "already-gone" && !isExcused) {
    const sentence = `${id} was never told, and its lock was gone at its release`;
    faults.push({ kind: "robbed", sentence });
  }
  if (delay !== null && delay > tellWithin) {
    const sentence = `${id} was told of its loss only after ${delay} µs`;
    faults.push({ kind: "late", sentence });
  }
  return faults;
}

/** Neither answered nor ended by a kill; or granted, and neither released nor told of its loss. */
function isUnfinished({ granted, gaveUp, release, lost, killed }: ClaimStory): boolean {
  if (killed) return false;
  return granted === null ? gaveUp === null : release === null && lost === null;
}
