import { LINE_LIMIT } from "./operations/claim.ts";

/** All bounds of the document protocol: durations in milliseconds. Tests bring smaller ones. */
export interface Timing {
  /** How long a waiting claim sleeps by its place in line: the first, the second, all others. */
  readonly poll: readonly [number, number, number];
  /** The longest sleep, while the turn is far away. */
  readonly farPoll: number;
  readonly grace: number;
  readonly holderLook: number;
  readonly askAgain: number;
  readonly call: number;
  readonly startRetry: number;
  readonly startPatience: number;
  readonly leavePatience: number;
  readonly cancelledSwap: number;
  readonly releasePatience: number;
  readonly lookPatience: number;
  readonly changePatience: number;
  readonly retry: readonly [number, number];
  readonly heartbeat: number;
  readonly heartbeatDeadAfter: number;
  readonly skew: number;
  /** How many may wait in line. */
  readonly lineLimit: number;
}

export const TIMING: Timing = {
  // The next holder should lose little time; the tenth should not spend the server's budget.
  poll: [2_000, 5_000, 15_000],
  farPoll: 15_000,
  // The patience with claims in line that leave their turn untaken: every claim that lives has shown it by then
  // (SIGN_AT). Longer than the longest sleep, that part of it, and a swap with its retries. As short as these
  // allow, since a free lock that nobody holds costs everybody's time.
  grace: 45_000,
  // A broken lock should be noticed soon; a read costs the server little.
  holderLook: 15_000,
  // The forge's API counts every question, and is late to say that a job is over.
  askAgain: 30_000,
  // A connection that hangs should not hold up a claim for ever; a server that is rate-limiting requests may
  // take this long.
  call: 120_000,
  // A wrong address never answers, and should fail a deployment soon. A passing error should not: a server that
  // has answered before is tried again for the longer time.
  startRetry: 3_000,
  startPatience: 20_000,
  // A runner kills a cancelled job after ten seconds, and `cancelledSwap` may have taken a part of them. A place
  // in line that stays costs others a grace.
  leavePatience: 5_000,
  // A swap that is under way mostly stands. To know that saves a read, and spares the line a claim of which
  // nothing is known.
  cancelledSwap: 2_000,
  // A server's restart takes seconds; a lock that is not released may be in the way for hours.
  releasePatience: 30_000,
  // For commands that only look: a person waits for the answer.
  lookPatience: 5_000,
  // For verify and clean: after a passing error a job or a person would have to begin again.
  changePatience: 20_000,
  // A server that is away should be found again soon, and not be called all the time.
  retry: [500, 15_000],
  // Every heartbeat is a swap that all claims contend for; a dead holder is in the way until
  // `heartbeatDeadAfter`, in which four heartbeats may fail.
  heartbeat: 120_000,
  heartbeatDeadAfter: 600_000,
  // A fixed end is a time of the calendar: the clocks of two machines may differ by this much.
  skew: 60_000,
  lineLimit: LINE_LIMIT,
};

/** What differs where the engine wakes waiting claims, and has no budget of calls. */
export const ENGINE_TIMING: Pick<Timing, "farPoll" | "retry"> = {
  // Claims are woken by changes, and look only for deaths. That should not take longer while the turn is far.
  farPoll: 0,
  // After an outage nobody should wait longer than a person notices.
  retry: [250, 1_000],
};
