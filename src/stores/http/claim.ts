import { setTimeout as delay } from "node:timers/promises";
import { isLockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, Holding, KeyStatus } from "../../lock/store.ts";
import { Deadline } from "../../lock/time.ts";
import {
  EXPLAIN_MS,
  joiningAgain,
  REJOIN_LIMIT_MS,
  REJOIN_MS,
  whoIsInTheWay,
} from "../remote/in-line.ts";
import { aborted, notAcquired } from "../sentences.ts";
import type { LockServer } from "./client.ts";
import { refuseOwned } from "./foreign.ts";
import { HttpHolding } from "./holding.ts";
import { standInLine, type Traces, type Turn } from "./line.ts";
import { Lookout } from "./lookout.ts";
import { LIFE_LIMIT_S, openSession, type Session } from "./session.ts";

export interface ClaimContext {
  readonly server: LockServer;
  readonly store: string;
  readonly serverKey: string;
  /** Who holds the key; given up after so many milliseconds. */
  readonly inspect: (patience: number) => Promise<KeyStatus>;
}

/** Runs a claim from its session to the held lock, and into a new session where the first was lost. */
export async function runClaim(
  request: CheckedRequest,
  options: ClaimOptions,
  context: ClaimContext,
): Promise<Holding> {
  const { server, serverKey } = context;
  const { onProgress } = options;
  const timeout = options.timeout ?? null;
  const waits = timeout !== 0;
  const started = performance.now();
  const leaseSeconds = leaseSecondsOf(request);
  const deadline = new Deadline(timeout, options.signal);
  const { signal } = deadline;
  const lookout = onProgress === undefined ? null : new Lookout({ server, serverKey, onProgress });
  let droppedAt: number | null = null;
  /** To be removed with the claim, until a holding has taken them over. */
  const traces: Traces = { session: null, mayHold: false };
  try {
    for (;;) {
      const turn = await takeTurn();
      if (signal.aborted) throw aborted();
      if (turn.kind === "granted") return hold(turn);
      if (turn.kind === "timeout") break;
      droppedAt ??= performance.now();
      if (performance.now() - droppedAt > REJOIN_LIMIT_MS) throw turn.error;
      lookout?.report(joiningAgain(turn.error.message));
      await delay(REJOIN_MS, undefined, { signal }).catch(() => {});
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!deadline.timedOut) throw aborted();
  } finally {
    deadline.clear();
    lookout?.stop();
    if (traces.session !== null) await leave(traces.session);
  }
  const look = () => context.inspect(EXPLAIN_MS);
  const why = await whoIsInTheWay(server.address.shown, look);
  throw notAcquired(request.key, timeout ?? 0, why);

  async function takeTurn(): Promise<Turn> {
    traces.session = null;
    let session: Session;
    try {
      session = await openSession(server, request, leaseSeconds, { signal });
    } catch (error) {
      // The first time it is the user's problem; later it is one that may pass.
      const mayPass = droppedAt !== null && isLockError(error, "STORE_UNREACHABLE");
      if (signal.aborted || !mayPass) throw error;
      return { kind: "dropped", error };
    }
    if (session.isGiven) await refuseOwned(server, session, serverKey, signal);
    traces.session = session;
    if (waits) lookout?.start(session);
    return standInLine({
      server,
      session,
      serverKey,
      request,
      leaseSeconds,
      signal,
      traces,
      waits,
      endsAt: timeout === null ? null : started + timeout,
      lookout,
      wasPlaced: droppedAt !== null,
      onPlaced: () => {
        droppedAt = null;
      },
    });
  }

  function hold({
    session,
    provenAt,
    fence,
    slot,
    since,
  }: Turn & { kind: "granted" }): HttpHolding {
    const { key, owner, ttl } = request;
    traces.session = null;
    return new HttpHolding({
      server,
      session,
      serverKey,
      lease: {
        key,
        store: context.store,
        owner: owner.id,
        fence,
        slot,
        since,
        ttl: ttl / 1_000,
        waited: Math.round(performance.now() - started),
        token: session.id,
      },
      leaseSeconds,
      provenAt,
      boundAt: request.refresh ? null : provenAt + ttl,
    });
  }

  /** A server that frees nothing with a session has to be told of the lock that it may have granted. */
  async function leave(left: Session): Promise<void> {
    const patience = { patience: EXPLAIN_MS };
    if (server.isOurs !== true && traces.mayHold) {
      await left.lock("release", serverKey, patience).catch(() => {});
    }
    await left.end();
  }
}

/**
 * How long the server keeps a session, and its locks, that it does not hear of: the lease, or the
 * ttl where it is shorter, since the lock must not outlive its last refresh by more. A longer ttl
 * needs nothing from the server: the refreshes go on as long as the holder lives, or, where the ttl
 * is a hard bound, until its end.
 */
function leaseSecondsOf({ deadAfter, ttl }: CheckedRequest): number {
  return Math.max(1, Math.min(LIFE_LIMIT_S, Math.ceil(Math.min(deadAfter, ttl) / 1_000)));
}
