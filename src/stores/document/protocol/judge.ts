import type { Vitality } from "../../../lock/reclaim.ts";
import {
  type HolderEntry,
  type Instant,
  type KeyDocument,
  untilTime,
  type WaiterEntry,
} from "../document.ts";
import { lifeName } from "../life.ts";
import { isReady, readyInOrder } from "../operations/line.ts";
import type { Lives } from "../operations/state.ts";
import type { Timing } from "../timing.ts";
import type { Observations } from "./observations.ts";
import type { Candidate, Place } from "./place.ts";
import type { Seen } from "./swap.ts";
import { type Steps, step } from "./world.ts";

/** What is known about the holders and claims of a document at one moment. */
export interface Judgement extends Instant {
  /** Of waiters and holders. */
  readonly alive: Lives;
  readonly vitality: (holder: HolderEntry) => Vitality;
  /** Monotonic milliseconds at which a holder's time may be over; null: none is watched. */
  readonly reviewAt: number | null;
}

type Rules = Pick<Timing, "askAgain" | "skew" | "lineLimit">;

/** Claims that are not next ask the forge this many times less often. */
const FAR_ASK_AGAIN = 10;
/** How many lives are asked about in one look, all at once: each question costs the forge's budget. */
const QUESTIONS_LIMIT = 8;

/**
 * How many of a line are asked about when a slot is given away. If all of these are dead, the claim behind them
 * comes by itself.
 */
const LIVES_ASKED = 8;

/** Whether a session lives. Null if it was not asked about, or the register did not say. */
type Sessions = (id: string) => boolean | null;

/** Asks which sessions live. If nobody has one, no register is asked. */
function* askSessions(entries: readonly (HolderEntry | WaiterEntry)[]): Steps<Sessions> {
  const ids = entries.flatMap(({ life }) => (life?.kind === "session" ? [life.id] : []));
  const known = ids.length === 0 ? null : yield* step("aliveSessions", ids);
  return (id) => known?.get(id) ?? null;
}

/**
 * Finds out about everybody in the way of a claim: the holders, and the claims ahead in line. A claim that is
 * not ready has nobody in its way and only tells how it stands, unless the line is too full for it.
 */
export function* judge(
  seen: Seen,
  { claimant: { id: claim }, isReady: isClaimReady }: Pick<Candidate, "claimant" | "isReady">,
  { isInLine, ahead, blocking, isFree, mayEnter }: Place,
  observations: Observations,
  rules: Rules,
): Steps<Judgement> {
  const { document } = seen;
  const now = yield* step("now");
  // A claim that has the lock has nobody in its way: the next holder loses no time by asking.
  if (document.holders.some(({ id }) => id === claim))
    return judgement(seen, () => null, observations, rules, now);
  const inTheWay = !mayEnter || ahead.length > 0;
  const sessions = yield* askSessions(inTheWay ? [...document.holders, ...ahead] : []);
  const bySession = judgement(seen, sessions, observations, rules, now);
  // A full line is looked through at once: somebody stands outside of it.
  const isFull = document.line.length >= rules.lineLimit;
  if (!isClaimReady && (isInLine || !isFull)) return bySession;
  const doubtful = (entries: typeof ahead) =>
    entries.filter((entry) => bySession.alive(entry) !== false);
  // The next claim asks the forge often: about the holders, or about the claims that should have come before it.
  // The others ask now and then about all of them: the next claim may be dead itself, and then nobody else asks.
  const seldom = { askAgain: rules.askAgain * FAR_ASK_AGAIN };
  const mayAsk = isFull || seen.before - (observations.began ?? seen.before) >= seldom.askAgain;
  if (isFree) yield* ask(doubtful(blocking), seen, observations, rules);
  // Claims that are not ready are asked about too: the dead among them only make the line longer.
  const others = isFree ? ahead.filter((each) => !isReady(each)) : ahead;
  if (mayAsk) yield* ask(doubtful(others), seen, observations, seldom);
  const isNext = doubtful(blocking).length === 0;
  if (!isFree && (isNext || mayAsk))
    yield* ask(document.holders, seen, observations, isNext ? rules : seldom);
  return judgement(seen, sessions, observations, rules, now);
}

function* ask(
  entries: readonly (HolderEntry | WaiterEntry)[],
  seen: Seen,
  observations: Observations,
  { askAgain }: Pick<Rules, "askAgain">,
): Steps<void> {
  const due = entries.flatMap(({ life }) => {
    if (life?.kind !== "job" && life?.kind !== "run") return [];
    return observations.isDue(lifeName(life), seen.before, askAgain) ? [life] : [];
  });
  if (due.length === 0) return;
  const asked = due.slice(0, QUESTIONS_LIMIT);
  const answers = yield* step("alive", asked);
  for (const [index, life] of asked.entries())
    observations.heard(lifeName(life), answers[index] ?? null, seen.before);
}

/** Finds out about everybody in a document, for commands that look or clean. */
export function* judgeAll(seen: Seen, observations: Observations, rules: Rules): Steps<Judgement> {
  const { holders, line } = seen.document;
  const now = yield* step("now");
  const sessions = yield* askSessions([...holders, ...line]);
  yield* ask([...holders, ...line.filter((each) => !isReady(each))], seen, observations, rules);
  return judgement(seen, sessions, observations, rules, now);
}

function judgement(
  { before }: Seen,
  sessions: Sessions,
  observations: Observations,
  { skew }: Rules,
  instant: Instant,
): Judgement {
  const reviews: number[] = [];
  /** Whether this process has seen that much time go by. */
  const isOver = (since: number | null, time: number): boolean => {
    if (since === null) return false;
    if (before - since < time) reviews.push(since + time);
    return before - since >= time;
  };
  const alive: Lives = ({ life }) => {
    switch (life?.kind) {
      case "session":
        return sessions(life.id);
      case "job":
      case "run":
        return observations.lastAnswer(lifeName(life));
      default:
        return null;
    }
  };
  const vitality = (holder: HolderEntry): Vitality => {
    const { life, ttl, deadAfter } = holder;
    const known = alive(holder);
    if (known === false) return "dead";
    const left = untilTime(holder.ends, instant);
    if (left !== null) {
      if (left + skew <= 0) return "expired";
      reviews.push(before + left + skew);
      return known === true ? "alive" : "unknown";
    }
    if (life?.kind === "heartbeat" && isOver(observations.silentSince(holder), deadAfter))
      return "dead";
    if (isOver(observations.unrefreshedSince(holder), ttl)) return "expired";
    return known === true ? "alive" : "unknown";
  };
  return {
    ...instant,
    alive,
    vitality,
    get reviewAt() {
      return reviews.length === 0 ? null : Math.min(...reviews);
    },
  };
}

/** What is known about the lives of those in line, when a slot is given away. */
export function* livesOfLine(document: KeyDocument, asked = LIVES_ASKED): Steps<Lives> {
  const { line, slots } = document;
  const order = [...readyInOrder(line), ...line.filter((each) => !isReady(each))];
  const sessions = yield* askSessions(order.slice(0, Math.max(slots, asked)));
  return ({ life }) => (life?.kind === "session" ? sessions(life.id) : null);
}
