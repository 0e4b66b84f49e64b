import type { ClaimEvent, Event } from "./event.ts";

/** One claim with all that is known of it. Its times are places in the history; null: not happened. */
export interface ClaimStory {
  readonly id: string;
  readonly process: string;
  readonly key: string;
  readonly slots: number;
  readonly weight: number;
  readonly priority: number;
  readonly claimed: number;
  /** From here on it may take the lock: from the start, or since it was declared to be ready. */
  ready: number | null;
  joined: number | null;
  /** When it was seen to stand in line, ready. */
  stands: number | null;
  /** By the clock, when it was first seen in line; infinite: it was not. */
  joinedAt: number;
  rejoined: boolean;
  /** It stood in line when its server was restarted, for so long that its place was kept. */
  carried: boolean;
  granted: number | null;
  /** When the grant took effect, as the checker has chosen it. */
  effective: number | null;
  fence: number | null;
  gaveUp: number | null;
  /** When the release was called, and what it answered. */
  release: number | null;
  released: { readonly when: number; readonly outcome: Outcome } | null;
  lost: number | null;
  /** Microseconds after which it was told of its loss, once it could act; null: it had no excuse. */
  delay: number | null;
  /** From here on its lock may be another's though it was not told: it was killed, stopped, broken. */
  excuse: { readonly when: number; readonly kind: "kill" | "stop" | "break" } | null;
  /** The store was away while it was released: its silence may have ended it first. */
  isCutOff: boolean;
  /** By the clock, when the store was last away while it held; and how long before its release that was. */
  shaken: number | null;
  sinceShaken: number | null;
  /** Its process was killed: nothing more is to be heard of it. */
  killed: boolean;
  /** By the clock, when it could act again after it was stopped, or was broken: it has to be told soon. */
  resumed: number | null;
  /** Nothing more is to come of it. */
  over: number | null;
}

type Outcome = Extract<ClaimEvent, { event: "released" }>["outcome"];

/** A fault of a history: `kind` says which promise was broken. */
export interface Fault {
  readonly kind:
    | "nonsense"
    | "overlap"
    | "fence"
    | "order"
    | "priority"
    | "starved"
    | "stranger"
    | "robbed"
    | "late";
  readonly sentence: string;
}

/** Hears of claims as their stories go on. */
export interface ClaimListener {
  claimed(story: ClaimStory): void;
  granted(story: ClaimStory): void;
  /** Nothing more is to come of it. */
  over(story: ClaimStory): void;
}

/**
 * Puts events together to the stories of claims, in the order of the history. It keeps only claims
 * that are not over, so that a history of any length can be followed. What makes no sense is a fault.
 */
export class Claims {
  readonly faults: Fault[];
  readonly #listener: ClaimListener;
  readonly #open = new Map<string, ClaimStory>();
  readonly #recordedWithin: number;
  #when = 0;

  /** `recordedWithin`: microseconds after which a place in line is on the disk of a server that keeps it. */
  constructor(listener: ClaimListener, faults: Fault[], recordedWithin: number) {
    this.#listener = listener;
    this.faults = faults;
    this.#recordedWithin = recordedWithin;
  }

  follow(event: Event): void {
    this.#when++;
    if ("claim" in event) this.#tell(event);
    else if (event.event === "break") {
      for (const story of this.#open.values()) {
        if (story.key !== event.key || !isHeld(story)) continue;
        this.#excuse(story, "break");
        story.resumed ??= event.at;
      }
    } else if (event.event === "outage" || event.event === "restart") {
      for (const story of this.#open.values()) {
        const isRecorded = event.at - story.joinedAt >= this.#recordedWithin;
        const isKept = event.event === "restart" && isRecorded;
        if (story.granted === null && isKept) story.carried = true;
        else if (story.granted === null) story.rejoined = true;
        if (story.release !== null) story.isCutOff = true;
        else if (story.granted !== null) story.shaken = event.at;
      }
    } else {
      for (const story of this.#open.values())
        if (story.process === event.process) this.#happen(story, event.event, event.at);
    }
  }

  /** The history has no more events. */
  end(): void {
    for (const story of [...this.#open.values()]) this.#over(story);
  }

  /** What happens to the process of a claim. */
  #happen(story: ClaimStory, what: "kill" | "stop" | "continue" | "ended", at: number): void {
    if (what === "ended") this.#over(story);
    else if (what !== "continue") this.#excuse(story, what);
    else if (story.excuse !== null) story.resumed = at;
    story.killed ||= what === "kill";
  }

  /** The first excuse counts: from then on the lock may be another's. */
  #excuse(story: ClaimStory, kind: "kill" | "stop" | "break"): void {
    story.excuse ??= { when: this.#when, kind };
  }

  #over(story: ClaimStory): void {
    story.over = this.#when;
    this.#open.delete(story.id);
    this.#listener.over(story);
  }

  #tell(event: ClaimEvent): void {
    const story = this.#open.get(event.claim);
    if (event.event === "claim") {
      if (story !== undefined) this.#nonsense(event, "claimed twice");
      else this.#begin(event);
    } else if (story === undefined)
      this.#nonsense(event, `has the event ${event.event}, and has not claimed or is over`);
    else {
      // A sign of life: a process that was killed just now is still there, and nobody may inherit it.
      if (story.excuse?.kind === "kill") story.excuse = { when: this.#when, kind: "kill" };
      this.#advance(story, event);
    }
  }

  #advance(story: ClaimStory, event: Exclude<ClaimEvent, { event: "claim" }>): void {
    switch (event.event) {
      case "joined":
        story.joined ??= this.#when;
        if (story.ready !== null) story.stands ??= this.#when;
        story.joinedAt = Math.min(story.joinedAt, event.at);
        break;
      case "ready":
        story.ready ??= this.#when;
        break;
      case "stands":
        story.joined ??= this.#when;
        story.stands ??= this.#when;
        break;
      case "rejoined":
        // A claim that was carried over a restart has to join again, in the place that it had.
        if (!story.carried) story.rejoined = true;
        break;
      case "granted":
        if (story.granted !== null) {
          this.#nonsense(event, "was granted twice");
          return;
        }
        if (story.ready === null) this.#nonsense(event, "was granted before it was ready");
        story.ready ??= this.#when;
        story.granted = this.#when;
        story.fence = event.fence;
        this.#listener.granted(story);
        break;
      case "gave-up":
        if (story.granted !== null) this.#nonsense(event, "gave up what it had been granted");
        story.gaveUp = this.#when;
        this.#over(story);
        break;
      case "release":
        if (story.granted === null) this.#nonsense(event, "released what it had not been granted");
        story.release ??= this.#when;
        if (story.shaken !== null) story.sinceShaken = event.at - story.shaken;
        break;
      case "lost":
        if (story.lost !== null) return;
        story.lost = this.#when;
        if (story.resumed !== null) story.delay = event.at - story.resumed;
        break;
      case "released":
        if (story.release === null) this.#nonsense(event, "was released without a release");
        if (event.fence !== story.fence && event.outcome === "released")
          this.faults.push({
            kind: "stranger",
            sentence: `${event.claim} holds ${story.fence} and has released ${event.fence}`,
          });
        story.released = { when: this.#when, outcome: event.outcome };
        this.#over(story);
    }
  }

  #nonsense({ claim }: ClaimEvent, why: string): void {
    this.faults.push({ kind: "nonsense", sentence: `${claim} ${why}` });
  }

  #begin(event: ClaimEvent & { event: "claim" }): void {
    const { claim: id, process, key, slots, weight = 1, priority = 0, ready = true } = event;
    const story: ClaimStory = {
      id,
      process,
      key,
      slots,
      weight,
      priority,
      claimed: this.#when,
      ready: ready ? this.#when : null,
      joined: null,
      stands: null,
      joinedAt: Number.POSITIVE_INFINITY,
      rejoined: false,
      carried: false,
      granted: null,
      effective: null,
      fence: null,
      gaveUp: null,
      release: null,
      released: null,
      lost: null,
      delay: null,
      excuse: null,
      isCutOff: false,
      shaken: null,
      sinceShaken: null,
      killed: false,
      resumed: null,
      over: null,
    };
    this.#open.set(id, story);
    this.#listener.claimed(story);
  }
}

function isHeld({ granted, release, lost }: ClaimStory): boolean {
  return granted !== null && release === null && lost === null;
}

/** The earliest time at which the lock may have been another's. */
export function endOf({ release, released, lost, excuse }: ClaimStory): number {
  if (release !== null && released?.outcome === "released") return release;
  const ends = [release, lost, excuse?.when ?? null].filter((end) => end !== null);
  return Math.min(...ends);
}
