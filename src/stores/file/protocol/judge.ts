import { parseLocalOwnerId } from "../../../lock/owner.ts";
import type { Vitality } from "../../../lock/reclaim.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import { type LockRecord, type OwnRecord, runLeft } from "../format/record.ts";

export type StaleRule = "both" | "age";

export interface JudgeRules {
  /** Milliseconds after which a lock of an unknown process may count as stale. */
  readonly staleTimeout: number;
  /** `both`: old and its process gone (semats); `age`: old is enough (sema). */
  readonly staleRule: StaleRule;
  readonly hostname: string;
  /** Of this machine, since its start; null or absent: not known. */
  readonly boot?: string | null;
}

/** The facts about a lock at one moment. */
export interface Evidence {
  readonly now: number;
  /** By the files' clock, if the lock is a run's. */
  readonly fileNow: number;
  readonly monotonic: number;
  /** The file's modification time. */
  readonly modified: number;
  /** Whether the processes of `processesOf` live, in that order. */
  readonly alive: readonly (boolean | null)[];
  /** Since when, by this process's monotonic clock, the holder's beat and refresh are what they are. */
  readonly beatSeen: number;
  readonly refreshSeen: number;
  /** Whether the run that the lock belongs to goes on, as its forge said. */
  readonly runAlive: boolean | null;
}

export interface Verdict {
  readonly vitality: Vitality;
  /** What `status` shows: true, false, or null for not known. */
  readonly alive: boolean | null;
  /** The lock's processes that are not known to have ended: a waiter watches for their end. */
  readonly living: readonly ProcessMark[];
  /** When, by the monotonic clock, another look could give another verdict. */
  readonly reviewAt: number | null;
}

/** The processes whose life decides about a lock. */
export function processesOf(record: LockRecord, rules: JudgeRules): ProcessMark[] {
  switch (record.kind) {
    case "holdfast":
      // The hold of a run outlives the process that claimed it.
      if (record.run !== null) return [];
      return record.covered === null
        ? [record.process]
        : [record.process, { ...record.process, ...record.covered }];
    case "sema":
      return [unmarked(record.pid, rules.hostname)];
    case "policy": {
      const local = parseLocalOwnerId(record.owner);
      return local && local.hostname === rules.hostname
        ? [unmarked(local.pid, rules.hostname)]
        : [];
    }
    case "unreadable":
      return [];
  }
}

/** A process of which only the pid is known: any process with that pid counts as that one. */
function unmarked(pid: number, host: string): ProcessMark {
  return { pid, start: null, boot: null, namespace: null, host };
}

/** The table "Who is dead?", row by row. Pure. */
export function judge(record: LockRecord, evidence: Evidence, rules: JudgeRules): Verdict {
  const living = processesOf(record, rules).filter((_, index) => evidence.alive[index] !== false);
  return { ...judgeRecord(record, evidence, rules), living };
}

type Judgement = Omit<Verdict, "living">;

function judgeRecord(record: LockRecord, evidence: Evidence, rules: JudgeRules): Judgement {
  switch (record.kind) {
    case "holdfast":
      return judgeRun(record, evidence, rules) ?? judgeOwn(record, evidence);
    case "sema": {
      const alive = evidence.alive[0] ?? null;
      const left = rules.staleTimeout - (evidence.now - record.timestamp * 1_000);
      if (left > 0) return { vitality: "unknown", alive, reviewAt: evidence.monotonic + left };
      if (rules.staleRule === "age") return { vitality: "expired", alive, reviewAt: null };
      return { vitality: alive === false ? "dead" : "alive", alive, reviewAt: null };
    }
    case "policy": {
      const alive = evidence.alive[0] ?? null;
      const left = record.since + record.ttl * 1_000 - evidence.now;
      if (left < 0)
        return { vitality: "expired", alive: alive === true ? true : null, reviewAt: null };
      if (alive === false) return { vitality: "dead", alive, reviewAt: null };
      return {
        vitality: alive ? "alive" : "unknown",
        alive,
        reviewAt: evidence.monotonic + left + 1,
      };
    }
    case "unreadable": {
      const left = rules.staleTimeout - (evidence.now - evidence.modified);
      if (left > 0)
        return { vitality: "unknown", alive: null, reviewAt: evidence.monotonic + left };
      return { vitality: "expired", alive: null, reviewAt: null };
    }
  }
}

/** How much longer another machine leaves a run's hold alone: file servers may tell times that they remember. */
const RUN_SKEW_MS = 60_000;
/** How often to look whether the forge has said that the run is over. */
const RUN_LOOK_MS = 2_000;

/** A run's hold: no process and no heartbeat counts, only its forge's word and its end by the clock. */
function judgeRun(record: OwnRecord, evidence: Evidence, rules: JudgeRules): Judgement | null {
  const { fileNow, monotonic } = evidence;
  const rest = runLeft(record, { boot: rules.boot ?? null, fileNow, monotonic });
  if (rest === null) return null;
  const alive = evidence.runAlive;
  if (alive === false) return { vitality: "dead", alive, reviewAt: null };
  const skew = record.process.host === rules.hostname ? 0 : RUN_SKEW_MS;
  const left = rest + skew;
  if (left <= 0) return { vitality: "expired", alive, reviewAt: null };
  const next = record.run?.forge == null ? left : Math.min(left, RUN_LOOK_MS);
  return { vitality: alive ? "alive" : "unknown", alive, reviewAt: evidence.monotonic + next };
}

function judgeOwn(record: OwnRecord, evidence: Evidence): Judgement {
  const alive = anyAlive(evidence.alive);
  const ttl = record.ttl * 1_000;
  if (alive === false) return { vitality: "dead", alive, reviewAt: null };
  if (alive === null) {
    // Elsewhere only what this process itself saw counts, since two machines' clocks may differ.
    const silent = evidence.monotonic - evidence.beatSeen;
    const unrefreshed = evidence.monotonic - evidence.refreshSeen;
    if (silent >= record.deadAfter) return { vitality: "dead", alive: false, reviewAt: null };
    if (unrefreshed >= ttl) return { vitality: "expired", alive, reviewAt: null };
    const reviewAt = Math.min(
      nextLook(evidence.beatSeen, record.deadAfter, evidence.monotonic),
      evidence.refreshSeen + ttl,
    );
    return { vitality: "unknown", alive, reviewAt };
  }
  // Same boot, so its monotonic clock is ours. A stopped process exists, and yet its ttl runs out.
  const reviewAt = record.refreshedMonotonic + ttl;
  if (evidence.monotonic > reviewAt) return { vitality: "expired", alive, reviewAt: null };
  return { vitality: "alive", alive, reviewAt: reviewAt + 1 };
}

/**
 * When to look again at a process elsewhere, which can be watched but not asked. A single look at the end of
 * dead-after would find a heartbeat that came in between, and begin again. With three looks the delay after the
 * last heartbeat is at most a third longer.
 */
export function nextLook(seen: number, deadAfter: number, monotonic: number): number {
  return Math.min(seen + deadAfter, monotonic + deadAfter / 3);
}

/** The lock lives as long as one of its processes does. */
function anyAlive(answers: readonly (boolean | null)[]): boolean | null {
  if (answers.includes(true)) return true;
  return answers.includes(null) ? null : false;
}
