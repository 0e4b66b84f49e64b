import { slotMeant } from "../../../lock/request.ts";
import type { Freeze } from "../../../lock/status.ts";
import type { OneSlot, RunRelease } from "../../../lock/store.ts";
import { freezeAt, frozenSlotsAt, type KeyDocument, type WaiterEntry } from "../document.ts";
import { type BreakRequest, breakHolders, bury, clearLine, release } from "../operations/end.ts";
import { type FreezeRequest, freeze, freezesOf, isFreezeOf, thaw } from "../operations/keep.ts";
import { isReady } from "../operations/line.ts";
import { isRefusal } from "../operations/state.ts";
import type { Timing } from "../timing.ts";
import { moment } from "./hold.ts";
import { type Judgement, judgeAll, livesOfLine } from "./judge.ts";
import type { Observations } from "./observations.ts";
import { amend, look, type Proposal, type Seen, Tries } from "./swap.ts";
import { type Steps, step } from "./world.ts";

/** The document before a break; null if nobody held the lock. */
export function* breakSteps(key: string, request: BreakRequest): Steps<KeyDocument | null> {
  return yield* amend<KeyDocument | null>(key, function* ({ document }) {
    const lives = yield* livesOfLine(document);
    const next = breakHolders(document, request, lives, yield* moment());
    return isRefusal(next) ? { settled: null } : { next, result: document };
  });
}

/** Removes from the line all claims whose session is not known to live, and names them. */
export function* breakLineSteps(
  key: string,
  request: Pick<BreakRequest, "reason" | "by">,
): Steps<readonly WaiterEntry[]> {
  return yield* amend<readonly WaiterEntry[]>(key, function* ({ document }) {
    const lives = yield* livesOfLine(document, document.line.length);
    const removed = document.line.filter((waiter) => lives(waiter) !== true);
    const ids = removed.map(({ id }) => id);
    const next = clearLine(document, { ...request, ids }, lives, yield* moment());
    return isRefusal(next) ? { settled: [] } : { next, result: removed };
  });
}

export function* freezeSteps(
  key: string,
  request: Omit<FreezeRequest, "slot">,
  only: OneSlot = {},
): Steps<Freeze> {
  return yield* amendSlot<Freeze>(key, only, function* (document, slot) {
    const meant = { ...request, slot, resource: only.resource };
    const next = freeze(document, meant, yield* moment());
    return { next, result: alone(freezesOf(next).find(isFreezeOf(slot)) as Freeze) };
  });
}

/** A freeze, without the slot that it is of: who froze or thawed that slot named it. */
function alone({ by, reason, since, until }: Freeze): Freeze {
  return { by, reason, since, until };
}

/** The freezes that ended, that of the whole key first; null if there was none. */
export function* thawSteps(key: string, by: string, only: OneSlot = {}): Steps<Freeze | null> {
  return yield* amendSlot<Freeze | null>(key, only, function* (document, slot) {
    const ends = slot === null ? () => true : isFreezeOf(slot);
    const lives = yield* livesOfLine(document);
    const now = yield* moment();
    const next = thaw(document, { by, ends }, lives, now);
    if (isRefusal(next)) return { settled: null };
    const frozen = freezeAt(document, now);
    const all = [...(frozen === null ? [] : [frozen]), ...frozenSlotsAt(document, now)];
    const ended = all.find(ends);
    return { next, result: ended === undefined ? null : alone(ended) };
  });
}

/** Amends a document as to one slot, whose number its name tells only with the document; null: all slots. */
function* amendSlot<T>(
  key: string,
  only: OneSlot,
  propose: (document: KeyDocument, slot: number | null) => Steps<Proposal<T>>,
): Steps<T> {
  const isOne = only.slot !== undefined || only.resource !== undefined;
  const latest = isOne ? yield* look(key, true) : null;
  const proposeFor = ({ document }: Seen) => {
    const { slots, resources = null, frozenSlots = [], holders, line } = document;
    const isUsed = holders.length + line.length > 0;
    return propose(document, slotMeant(key, only, { slots, resources, frozenSlots, isUsed }));
  };
  return yield* amend<T>(key, proposeFor, new Tries(), latest);
}

/** Releases what a run holds. A lock of anybody else is left alone, and its owner is named. */
export function* releaseRunSteps(key: string, run: string): Steps<RunRelease> {
  return yield* amend<RunRelease>(key, function* ({ document }) {
    const holder = document.holders.find((each) => each.run === run);
    const [other] = document.holders;
    if (holder === undefined)
      return { settled: other === undefined ? "already-gone" : { heldBy: other.owner } };
    const lives = yield* livesOfLine(document);
    const next = release(document, holder, lives, yield* moment());
    return isRefusal(next) ? { settled: "already-gone" } : { next, result: "released" };
  });
}

export interface CleanRequest {
  readonly by: string;
  readonly dryRun: boolean;
  /**
   * Milliseconds since the last renewal of a holder of which nothing is known: after these it is removed. The
   * same for a claim of which nothing is known and which is not ready, since it joined: nobody waits for such a
   * claim, so nobody else ever removes it.
   */
  readonly staleTimeout: number | null;
  readonly timing: Pick<Timing, "askAgain" | "skew" | "lineLimit" | "grace">;
  /** What was seen of the key before. */
  readonly observations: Observations;
}

export interface Cleaned {
  /** What was removed, one line each. */
  readonly found: readonly string[];
  /** Monotonic milliseconds at which a line whose turn is left untaken counts as dead; null: none does. */
  readonly reviewAt: number | null;
}

/** Removes the dead of a key. If only a later look can tell whether a line is dead, it looks once more. */
export function* cleanSteps(key: string, request: CleanRequest): Steps<Cleaned> {
  return yield* amend<Cleaned>(key, function* (seen) {
    const { document } = seen;
    const { observations, timing } = request;
    observations.see(seen, freezeAt(document, yield* step("now")) !== null);
    const judged = yield* judgeAll(seen, observations, timing);
    const quiet = observations.quietSince(document.line.filter(isReady));
    const isDead = quiet !== null && seen.before - quiet >= timing.grace;
    const reviewAt = quiet === null || isDead ? null : quiet + timing.grace;
    const holders = document.holders.flatMap(({ id, owner, slot, ...rest }) => {
      const why = whyDead({ ...rest, id, owner, slot }, judged, request.staleTimeout);
      return why === null
        ? []
        : [{ id, reason: why.reason, text: `the lock of ${owner}: ${why.text}` }];
    });
    const whyGone = (entry: WaiterEntry) => {
      const alive = judged.alive(entry);
      if (alive === false) return "it is dead";
      if (isReady(entry)) return isDead ? "its turn was left untaken" : null;
      const isStale = alive === null && isOld(entry.joined, judged.now, request.staleTimeout);
      return isStale ? "it was not ready for the stale timeout" : null;
    };
    const line = document.line.filter((entry) => whyGone(entry) !== null);
    const found = [
      ...holders.map(({ text }) => text),
      ...line.map((entry) => `the place in line of ${entry.owner}: ${whyGone(entry)}`),
    ];
    if (request.dryRun) return { settled: { found, reviewAt } };
    const lives = yield* livesOfLine(document);
    const dead = { holders, line: line.map(({ id }) => id), by: request.by };
    const next = bury(document, dead, lives, yield* moment());
    const result = { found, reviewAt };
    return isRefusal(next) ? { settled: result } : { next, result };
  });
}

function whyDead(
  holder: KeyDocument["holders"][number],
  { vitality, now }: Judgement,
  staleTimeout: number | null,
) {
  const found = vitality(holder);
  if (found === "dead") return { reason: "HOLDER_DEAD", text: "it is dead" } as const;
  if (found === "expired") return { reason: "LOCK_EXPIRED", text: "its time is over" } as const;
  if (found === "unknown" && isOld(holder.renewed, now, staleTimeout))
    return { reason: "LOCK_EXPIRED", text: "it was not renewed for the stale timeout" } as const;
  return null;
}

/** Compares two machines' clocks, which is why a person has to name the time. */
function isOld(time: string, now: number, staleTimeout: number | null): boolean {
  return staleTimeout !== null && now - Date.parse(time) >= staleTimeout;
}
