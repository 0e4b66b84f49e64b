import type { Fault } from "./claims.ts";
import type { ClaimEvent, Event } from "./event.ts";

type Of<N extends Event["event"]> = Extract<Event, { event: N }>;

export interface Mutation {
  readonly name: string;
  /** What the checker has to say of it, whatever else it says. */
  readonly kind: Fault["kind"];
  /** The history with the fault put in; null where it has no place for it. */
  readonly apply: (events: readonly Event[], random: () => number) => Event[] | null;
}

function isEvent<N extends Event["event"]>(name: N) {
  return (event: Event): event is Of<N> => event.event === name;
}

function pick<T>(list: readonly T[], random: () => number): T | undefined {
  return list[Math.floor(random() * list.length)];
}

function of<N extends ClaimEvent["event"]>(events: readonly Event[], name: N, claim: string) {
  return events.find(
    (event): event is Of<N> => event.event === name && "claim" in event && event.claim === claim,
  );
}

function replaced(events: readonly Event[], ...pairs: readonly [Event, Event][]): Event[] {
  const changes = new Map(pairs);
  return events.map((event) => changes.get(event) ?? event);
}

/** Releases that gave the lock back themselves, so that their holds are known to the end. */
function ownReleases(events: readonly Event[]): Of<"released">[] {
  return events.filter(isEvent("released")).filter(({ outcome }) => outcome === "released");
}

/** Ways to spoil a legal history, each the trace of a known kind of bug. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: "all holders hold on while the next one is granted",
    kind: "overlap",
    apply(events, random) {
      const [{ slots } = { slots: 1 }] = events.filter(isEvent("claim"));
      const releases = ownReleases(events);
      const first = Math.floor(random() * (releases.length - slots));
      const longer = releases.slice(first, first + slots).map(({ claim }) => claim);
      const from = Math.max(...longer.map((claim) => of(events, "granted", claim)?.at ?? 0));
      const next = events.filter(isEvent("granted")).find(({ at, claim }) => {
        const claimed = of(events, "claim", claim)?.at ?? 0;
        return claimed > from && at > from && !longer.includes(claim);
      });
      if (longer.length < slots || next === undefined) return null;
      const end = Math.max(...events.map(({ at }) => at));
      return events.map((event) =>
        "claim" in event && longer.includes(event.claim) && event.event.startsWith("release")
          ? { ...event, at: event.at + end }
          : event,
      );
    },
  },
  {
    name: "a fence is given twice",
    kind: "fence",
    apply(events, random) {
      const granted = events.filter(isEvent("granted"));
      const index = Math.floor(random() * (granted.length - 1));
      const [one, other] = [granted[index], granted[index + 1]];
      if (one === undefined || other === undefined) return null;
      return replaced(events, [other, { ...other, fence: one.fence }]);
    },
  },
  {
    name: "a later grant has a lower fence",
    kind: "fence",
    apply(events, random) {
      const granted = events.filter(isEvent("granted"));
      const pairs = granted.flatMap((one) => {
        const other = granted.find(({ claim }) => (of(events, "claim", claim)?.at ?? 0) > one.at);
        return other === undefined ? [] : [[one, other] as const];
      });
      const pair = pick(pairs, random);
      if (pair === undefined) return null;
      const [one, other] = pair;
      return replaced(
        events,
        [one, { ...one, fence: other.fence }],
        [other, { ...other, fence: one.fence }],
      );
    },
  },
  {
    name: "a newcomer overtakes one that stood in line",
    kind: "order",
    apply(events, random) {
      // A process that was stopped once has an excuse, which this must not give to its claim.
      const disturbed = new Set(
        events.filter((event) => !("claim" in event)).map(({ process }) => process),
      );
      const granted = new Map(events.filter(isEvent("granted")).map((each) => [each.claim, each]));
      const claims = events.filter(isEvent("claim"));
      const inLine = events.filter(isEvent("joined")).flatMap((joined) => {
        const own = granted.get(joined.claim);
        const asked = of(events, "claim", joined.claim);
        if (own === undefined || disturbed.has(joined.process) || asked?.ready === false) return [];
        const lower = claims.filter(({ claim, at, priority }) => {
          const fence = granted.get(claim)?.fence;
          return (
            priority === asked?.priority &&
            at < joined.at &&
            typeof fence === "number" &&
            fence < (own.fence ?? 0)
          );
        });
        return lower.map(({ at }) => ({ joined, before: at }));
      });
      const found = pick(inLine, random);
      const claimed = found && of(events, "claim", found.joined.claim);
      if (found === undefined || claimed === undefined) return null;
      const { joined, before } = found;
      return replaced(
        events,
        [claimed, { ...claimed, at: before - 0.5 }],
        [joined, { ...joined, at: before - 0.25 }],
      );
    },
  },
  {
    name: "a claim holds more slots than are free",
    kind: "overlap",
    apply(events, random) {
      const released = ownReleases(events);
      const pairs = events.filter(isEvent("granted")).flatMap((granted) => {
        const claimed = of(events, "claim", granted.claim);
        const isHeldBy = ({ claim }: { claim: string }) =>
          (of(events, "granted", claim)?.at ?? granted.at) < (claimed?.at ?? 0) &&
          (of(events, "release", claim)?.at ?? 0) > granted.at;
        return claimed !== undefined && released.some(isHeldBy) ? [claimed] : [];
      });
      const claimed = pick(pairs, random);
      return claimed && claimed.slots > 1
        ? replaced(events, [claimed, { ...claimed, weight: claimed.slots }])
        : null;
    },
  },
  {
    name: "a claim waits while one of a lower priority is served",
    kind: "priority",
    apply(events, random) {
      const isCalm = !events.some((event) => !("claim" in event));
      const granted = events.filter(isEvent("granted"));
      const weightOf = (claim: string) => of(events, "claim", claim)?.weight ?? 1;
      const endOf = (claim: string) => of(events, "release", claim)?.at ?? 0;
      // So early that nobody was passed too often yet.
      const pairs = granted.slice(1, 10).flatMap((low, before) => {
        const sooner = granted.slice(0, before + 1).map(({ claim }) => claim);
        const [{ slots } = { slots: 1 }] = events.filter(isEvent("claim"));
        // There was no room for it until the last of these ends.
        const full = sooner.map(endOf).filter((end) => {
          const held = [...sooner.filter((claim) => endOf(claim) >= end), low.claim];
          return held.reduce((sum, claim) => sum + weightOf(claim), 0) > slots;
        });
        return granted.slice(before + 2).flatMap(({ claim }) => {
          const isEarly = of(events, "claim", claim)?.ready === false;
          const stands = of(events, isEarly ? "stands" : "joined", claim);
          return stands !== undefined && stands.at < Math.max(...full) ? [claim] : [];
        });
      });
      const claimed = of(events, "claim", pick(pairs, random) ?? "");
      if (!isCalm || claimed === undefined) return null;
      return replaced(events, [claimed, { ...claimed, priority: 100 }]);
    },
  },
  {
    name: "a claim is granted though it was not ready",
    kind: "nonsense",
    apply(events, random) {
      const granted = events.filter(isEvent("granted"));
      const early = events
        .filter(isEvent("ready"))
        .filter(({ claim }) => granted.some((each) => each.claim === claim));
      const ready = pick(early, random);
      return ready === undefined ? null : events.filter((each) => each !== ready);
    },
  },
  {
    name: "a release ends somebody else's hold",
    kind: "stranger",
    apply(events, random) {
      const released = pick(ownReleases(events), random);
      if (released === undefined) return null;
      return replaced(events, [released, { ...released, fence: (released.fence ?? 0) + 1 }]);
    },
  },
  {
    name: "a lock is gone without a word",
    kind: "robbed",
    apply(events, random) {
      const stopped = new Set(
        events.filter(({ event }) => event === "stop").map(({ process }) => process),
      );
      const isBroken = events.some(isEvent("break"));
      const quiet = ownReleases(events).filter(({ process }) => !stopped.has(process));
      const released = isBroken ? undefined : pick(quiet, random);
      if (released === undefined) return null;
      return replaced(events, [released, { ...released, outcome: "already-gone" }]);
    },
  },
  {
    name: "a loss is told too late",
    kind: "late",
    apply(events, random) {
      // A process that is stopped or killed once more meanwhile has its time from then on, or none.
      const isAgain = ({ process, at }: Event) =>
        events.some((each) => !("claim" in each) && each.process === process && each.at > at);
      const losses = events.filter(isEvent("lost")).filter((each) => !isAgain(each));
      const lost = pick(losses, random);
      if (lost === undefined) return null;
      // What it does after it was told comes later as well.
      return events.map((event) =>
        "claim" in event && event.claim === lost.claim && event.at >= lost.at
          ? { ...event, at: event.at + 10_000_000 }
          : event,
      );
    },
  },
];
