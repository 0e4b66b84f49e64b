import type { ClaimEvent, Event } from "./event.ts";

/** One claim with all that is known of it. Times in microseconds; null: it did not happen. */
export interface ClaimStory {
  readonly id: string;
  readonly process: string;
  readonly key: string;
  readonly slots: number;
  readonly claimed: number;
  joined: number | null;
  rejoined: boolean;
  granted: number | null;
  fence: number | null;
  gaveUp: number | null;
  /** When the release was called, and what it answered. */
  release: number | null;
  released: { readonly at: number; readonly outcome: "released" | "already-gone" } | null;
  lost: number | null;
  /** From here on its lock may be another's though it was not told: it was killed, stopped, broken. */
  excuse: { readonly at: number; readonly kind: "kill" | "stop" | "break" } | null;
  /** The store was away while it was released: its silence may have ended it first. */
  isCutOff: boolean;
  /** Its process was killed: nothing more is to be heard of it. */
  killed: boolean;
  /** When it could act again after it was stopped, or when it was broken: it has to be told soon. */
  resumed: number | null;
}

/** A fault of a history: `kind` says which promise was broken. */
export interface Fault {
  readonly kind: "nonsense" | "overlap" | "fence" | "order" | "stranger" | "robbed" | "late";
  readonly sentence: string;
}

/** Puts events together to the stories of claims. What makes no sense is a fault of its own. */
export function storiesOf(events: readonly Event[]): { stories: ClaimStory[]; faults: Fault[] } {
  const stories = new Map<string, ClaimStory>();
  const faults: Fault[] = [];
  for (const event of events.toSorted((one, other) => one.at - other.at)) {
    if ("claim" in event) follow(stories, event, faults);
    else if (event.event === "break") {
      for (const story of stories.values()) {
        if (story.key !== event.key || !isOpen(story)) continue;
        excuse(story, event.at, "break");
        story.resumed ??= event.at;
      }
    } else if (event.event === "outage") {
      for (const story of stories.values()) {
        story.rejoined ||= story.granted === null;
        story.isCutOff ||= story.release !== null && story.released === null;
      }
    } else {
      for (const story of stories.values()) {
        if (story.process !== event.process || isOver(story)) continue;
        if (event.event !== "continue") excuse(story, event.at, event.event);
        else if (story.excuse?.kind === "stop") story.resumed = event.at;
        story.killed ||= event.event === "kill";
      }
    }
  }
  return { stories: [...stories.values()], faults };
}

/** The first excuse counts: from then on the lock may be another's. */
function excuse(story: ClaimStory, at: number, kind: "kill" | "stop" | "break"): void {
  story.excuse ??= { at, kind };
}

function isOpen({ granted, release, lost }: ClaimStory): boolean {
  return granted !== null && release === null && lost === null;
}

function isOver({ gaveUp, released }: ClaimStory): boolean {
  return gaveUp !== null || released !== null;
}

function follow(stories: Map<string, ClaimStory>, event: ClaimEvent, faults: Fault[]): void {
  const nonsense = (why: string) =>
    faults.push({ kind: "nonsense", sentence: `${event.claim} ${why}` });
  const story = stories.get(event.claim);
  if (event.event === "claim") {
    if (story !== undefined) nonsense("claimed twice");
    else stories.set(event.claim, begin(event));
    return;
  }
  if (story === undefined) {
    nonsense(`has the event ${event.event}, and never claimed`);
    return;
  }
  switch (event.event) {
    case "joined":
      story.joined ??= event.at;
      break;
    case "rejoined":
      story.rejoined = true;
      break;
    case "granted":
      if (story.granted !== null || story.gaveUp !== null) nonsense("was granted after its end");
      story.granted = event.at;
      story.fence = event.fence;
      break;
    case "gave-up":
      if (story.granted !== null) nonsense("gave up what it had been granted");
      story.gaveUp = event.at;
      break;
    case "release":
      if (story.granted === null) nonsense("released what it had not been granted");
      story.release ??= event.at;
      break;
    case "released":
      if (story.release === null) nonsense("was released without a release");
      if (event.fence !== story.fence && event.outcome === "released")
        faults.push({
          kind: "stranger",
          sentence: `${event.claim} holds ${story.fence} and has released ${event.fence}`,
        });
      story.released = { at: event.at, outcome: event.outcome };
      break;
    case "lost":
      story.lost ??= event.at;
  }
}

function begin(event: ClaimEvent & { event: "claim" }): ClaimStory {
  const { claim: id, process, key, slots, at: claimed } = event;
  return {
    id,
    process,
    key,
    slots,
    claimed,
    joined: null,
    rejoined: false,
    granted: null,
    fence: null,
    gaveUp: null,
    release: null,
    released: null,
    lost: null,
    excuse: null,
    isCutOff: false,
    killed: false,
    resumed: null,
  };
}
