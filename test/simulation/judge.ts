import { check } from "../history/checker.ts";
import type { Fault } from "../history/claims.ts";
import type { Event } from "../history/event.ts";
import type { Record } from "./record.ts";

/** What the history of a simulation is worth. */
export interface Judgement {
  /** Broken promises, a sentence each. */
  readonly faults: readonly string[];
  readonly unknown: readonly string[];
  readonly claims: number;
  readonly grants: number;
}

export interface Rules {
  /** Milliseconds of silence after which a holder counts as dead. */
  readonly deadAfter: number;
  /** Milliseconds after which a process that goes on knows that its lock is another's. */
  readonly tellWithin: number;
  /** Claims that fit beside each other may take their slots in any order. */
  readonly together: boolean;
  /** Whether a claim may be passed over for the so-manieth time, as the documentation says. */
  mayBePassedOver(claim: string, times: number): boolean;
}

/** A break is in force a little later than it is said, and its victim may hear of its grant even later. */
const BREAK_SLACK_US = 5_000_000;
/** What a broken lock's holder may need to know it, beyond the silence after which it gives up. */
const BREAK_SLACK_MS = 3_000;
/** After this a place in line is on the simulated disk, also behind a write that stalls, and stalled itself. */
const RECORDED_US = 3_200_000;
/** For so long after its restart a server passes over nobody, and a request over HTTP waits as long. */
const AWAITED_US = 20_000_000;
/** A release that took this part of its lease may have come too late, without anybody's fault. */
const SLOW_RELEASE = 1 / 3;

/**
 * Judges a simulated history: by the checker of histories, and by what a simulation knows better,
 * since in it nobody is late by chance.
 */
export function judge(record: Record, rules: Rules): Judgement {
  const events = withBreaks(record);
  // Told late is judged below: holds last for minutes here, and are lost for other reasons, too.
  const { together } = rules;
  const tellWithin = Number.POSITIVE_INFINITY;
  const options = { tellWithin, recordedWithin: RECORDED_US, together };
  const verdict = check(events, options);
  const faults = verdict.faults
    .filter(isUnforgiven(record, rules))
    .map(({ kind, sentence }) => `${kind}: ${sentence}`);
  faults.push(...record.untimely.map((sentence) => `bound: ${sentence}`));
  const all = withBreaks({ ...record, events: [...record.events, ...record.shared] });
  faults.push(...deceived(all, record, rules));
  return { faults, unknown: verdict.unknown, claims: verdict.claims, grants: verdict.grants };
}

/** Leaves out what the documentation says may happen. */
function isUnforgiven(record: Record, rules: Rules): (fault: Fault) => boolean {
  const unlucky = unluckyReleases(record, rules.deadAfter * SLOW_RELEASE * 1_000);
  const passedOver = new Map<string, number>();
  return ({ kind, sentence }) => {
    const words = sentence.split(" ");
    if (kind === "robbed")
      return !record.forgotten.has(words[0] ?? "") && !unlucky.has(words[0] ?? "");
    const overtaken = /came after (\S+) was in line/.exec(sentence)?.[1];
    if (overtaken === undefined) return true;
    if (isAfterRestart(record, words[0] ?? "")) return true;
    const times = (passedOver.get(overtaken) ?? 0) + 1;
    passedOver.set(overtaken, times);
    return !rules.mayBePassedOver(overtaken, times);
  };
}

/** Whether a claim was granted so soon after a restart that nobody was to be passed over. */
function isAfterRestart({ events }: Record, claim: string): boolean {
  const grant = events.find(
    (event) => event.event === "granted" && "claim" in event && event.claim === claim,
  );
  return events.some(
    ({ event, at }) =>
      event === "restart" && grant !== undefined && at < grant.at && grant.at - at < AWAITED_US,
  );
}

/** Releases that were long on their way, or that a break met there: nobody can have been told before. */
function unluckyReleases({ events, breaks }: Record, limit: number): ReadonlySet<string> {
  const called = new Map<string, number>();
  const unlucky = new Set<string>();
  for (const event of events) {
    if (event.event === "release") called.set(event.claim, event.at);
    if (event.event !== "released") continue;
    const { key, claim, at } = event;
    const from = called.get(claim) ?? at;
    const isMet = breaks.some(
      (each) => each.key === key && each.from <= at && each.to + BREAK_SLACK_US >= from,
    );
    if (isMet || at - from > limit) unlucky.add(claim);
  }
  return unlucky;
}

/**
 * The events with those of breaks. A claim whose grant was on its way meanwhile may have been broken
 * before it was heard of: nothing can be said about it, so that it counts as one that gave up.
 */
function withBreaks({ events, breaks }: Pick<Record, "events" | "breaks">): Event[] {
  const crossed = new Set<string>();
  for (const event of events) {
    if (event.event !== "granted") continue;
    const isCrossed = ({ key, from, to }: (typeof breaks)[number]) =>
      key === event.key && event.at > from && event.at <= to + BREAK_SLACK_US;
    if (breaks.some(isCrossed)) crossed.add(event.claim);
  }
  const all = events.flatMap((event): Event[] => {
    if (!("claim" in event) || !crossed.has(event.claim)) return [event];
    if (event.event !== "granted") return ["claim", "joined"].includes(event.event) ? [event] : [];
    const { at, process, key, claim } = event;
    return [{ at, process, key, claim, event: "gave-up" }];
  });
  const notes = breaks.map(({ key, from }) => ({ at: from, process: "operator", key }));
  return [...all, ...notes.map((note): Event => ({ ...note, event: "break" }))];
}

/** A time in which a process counts on its lock. */
interface Span {
  readonly claim: string;
  readonly process: string;
  readonly key: string;
  readonly slots: number;
  readonly weight: number;
  from: number;
  readonly to: number;
}

/**
 * Finds processes that count on a lock which others have: after they were stopped and could know it,
 * or between a loss by silence and the moment until which nobody else was to have the lock.
 */
function deceived(events: readonly Event[], record: Record, rules: Rules): string[] {
  const spans = spansOf(events, record, rules).filter(({ from, to }) => to > from);
  const edges = spans.flatMap((span) => [
    { at: span.from, span, begins: true },
    { at: span.to, span, begins: false },
  ]);
  edges.sort((one, other) => one.at - other.at || Number(one.begins) - Number(other.begins));
  const held = new Map<string, Set<Span>>();
  const faults: string[] = [];
  for (const { span, begins, at } of edges) {
    const own = held.get(span.key) ?? new Set();
    held.set(span.key, own);
    if (!begins) own.delete(span);
    else {
      own.add(span);
      const claims = new Map([...own].map(({ claim, weight }) => [claim, weight]));
      if ([...claims.values()].reduce((sum, weight) => sum + weight, 0) > span.slots)
        faults.push(`deceived: ${[...claims.keys()].join(", ")} count on ${span.key} at ${at} µs`);
    }
  }
  return faults;
}

function spansOf(
  events: readonly Event[],
  { safeUntil, breaks }: Record,
  { tellWithin, deadAfter }: Rules,
): Span[] {
  const shares = new Map<string, { readonly slots: number; readonly weight: number }>();
  const open = new Map<string, Span>();
  /** Those that were told of their loss, and end their work. */
  const stopping = new Map<string, Span>();
  const spans: Span[] = [];
  const end = (span: Span, at: number) => spans.push({ ...span, to: at });
  for (const event of events.toSorted((one, other) => one.at - other.at)) {
    const { at } = event;
    if (event.event === "claim") {
      const { slots, weight = 1 } = event;
      shares.set(event.claim, { slots, weight });
    } else if (event.event === "granted") {
      const { claim, key, process } = event;
      const own = { claim, key, process, ...(shares.get(claim) ?? { slots: 1, weight: 1 }) };
      open.set(claim, { ...own, from: at, to: Number.POSITIVE_INFINITY });
    } else if (event.event === "release" || event.event === "lost") {
      const span = open.get(event.claim) ?? stopping.get(event.claim);
      if (span === undefined) continue;
      open.delete(event.claim);
      stopping.delete(event.claim);
      if (event.event === "release") end(span, Math.min(at, span.to));
      else stopping.set(event.claim, { ...span, to: safeUntil.get(event.claim) ?? at });
    } else if ("key" in event && event.event !== "break") continue;
    else {
      // Who is killed while it ends its work has ended it.
      for (const span of stopping.values())
        if (event.event === "kill" && span.process === event.process)
          stopping.set(span.claim, { ...span, to: Math.min(at, span.to) });
      for (const span of [...open.values()]) {
        const isHit =
          event.event === "break" ? span.key === event.key : span.process === event.process;
        if (!isHit || event.event === "outage") continue;
        if (event.event !== "continue") end(span, at);
        if (event.event === "kill") open.delete(span.claim);
        else if (event.event === "stop") span.from = Number.POSITIVE_INFINITY;
        else if (event.event === "continue") span.from = at + tellWithin * 1_000;
        else span.from = doneAt(event, breaks) + (deadAfter + BREAK_SLACK_MS) * 1_000;
      }
    }
  }
  return [...spans, ...stopping.values()];
}

/** When a break that began with this event was in force at the latest. */
function doneAt({ at, ...event }: Event, breaks: Record["breaks"]): number {
  const own = breaks.find(({ key, from }) => "key" in event && key === event.key && from === at);
  return own?.to ?? at;
}
