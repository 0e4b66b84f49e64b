import type { Freeze } from "../../../lock/status.ts";
import type { RunRelease } from "../../../lock/store.ts";
import { freezeAt, type KeyDocument } from "../document.ts";
import { type BreakRequest, breakHolders, bury, release } from "../operations/end.ts";
import { type FreezeRequest, freeze, thaw } from "../operations/keep.ts";
import { isRefusal } from "../operations/state.ts";
import type { Timing } from "../timing.ts";
import { moment } from "./hold.ts";
import { type Judgement, judgeAll, livesOfLine } from "./judge.ts";
import { Sightings } from "./sightings.ts";
import { amend } from "./swap.ts";
import type { Steps } from "./world.ts";

/** The document before a break; null where nobody held. */
export function* breakSteps(key: string, request: BreakRequest): Steps<KeyDocument | null> {
  return yield* amend<KeyDocument | null>(key, function* ({ document }) {
    const lives = yield* livesOfLine(document);
    const next = breakHolders(document, request, lives, yield* moment());
    return isRefusal(next) ? { settled: null } : { next, result: document };
  });
}

export function* freezeSteps(key: string, request: FreezeRequest): Steps<Freeze> {
  return yield* amend<Freeze>(key, function* ({ document }) {
    const next = freeze(document, request, yield* moment());
    return { next, result: next.freeze };
  });
}

/** The freeze that it ended; null where the key was not frozen. */
export function* thawSteps(key: string, by: string): Steps<Freeze | null> {
  return yield* amend<Freeze | null>(key, function* ({ document }) {
    const lives = yield* livesOfLine(document);
    const now = yield* moment();
    const next = thaw(document, { by }, lives, now);
    return isRefusal(next) ? { settled: null } : { next, result: freezeAt(document, now.now) };
  });
}

/** Releases what a run holds. What another one holds is left alone, and named. */
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
  /** Milliseconds without a renewal after which a holder of which nothing is known is removed. */
  readonly staleTimeout: number | null;
  readonly timing: Pick<Timing, "askAgain" | "skew">;
}

/** What was removed, one line each. */
export function* cleanSteps(key: string, request: CleanRequest): Steps<readonly string[]> {
  return yield* amend<readonly string[]>(key, function* (seen) {
    const { document } = seen;
    const judged = yield* judgeAll(seen, new Sightings(), request.timing);
    const holders = document.holders.flatMap(({ id, owner, slot, ...rest }) => {
      const why = whyDead({ ...rest, id, owner, slot }, judged, request.staleTimeout);
      return why === null
        ? []
        : [{ id, reason: why.reason, text: `the lock of ${owner}: ${why.text}` }];
    });
    const line = document.line.filter((entry) => judged.alive(entry) === false);
    const found = [
      ...holders.map(({ text }) => text),
      ...line.map(({ owner }) => `the place in line of ${owner}: it is dead`),
    ];
    if (request.dryRun) return { settled: found };
    const lives = yield* livesOfLine(document);
    const dead = { holders, line: line.map(({ id }) => id), by: request.by };
    const next = bury(document, dead, lives, yield* moment());
    return isRefusal(next) ? { settled: found } : { next, result: found };
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
  // By two machines' clocks, which is why a person has to name the time.
  const isStale = staleTimeout !== null && now - Date.parse(holder.renewed) >= staleTimeout;
  if (found === "unknown" && isStale)
    return { reason: "LOCK_EXPIRED", text: "it was not renewed for the stale timeout" } as const;
  return null;
}
