import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isLockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import type { ClaimOptions, Holding, KeyStatus } from "../../lock/store.ts";
import { Deadline } from "../../lock/time.ts";
import { keyStatsRequest } from "../../wire/stats.ts";
import { fenceOf } from "../../wire/token.ts";
import {
  EXPLAIN_MS,
  joiningAgain,
  REJOIN_LIMIT_MS,
  REJOIN_MS,
  whoIsInTheWay,
} from "../remote/in-line.ts";
import { aborted, notAcquired } from "../sentences.ts";
import { TcpHolding } from "./holding.ts";
import { Lookout } from "./lookout.ts";
import type { LockServer } from "./server.ts";
import { keyIn, statusOf } from "./status.ts";
import { leaseSecondsOf, type Turn, takeTurn } from "./turn.ts";

/** Enough for no two claims of a key to have the same by chance. */
const CLAIM_BYTES = 8;

export interface ClaimContext {
  readonly server: LockServer;
  readonly store: string;
  readonly wireKey: string;
}

/** Runs a claim from the first packet to the held lock, and back into the line where its place was lost. */
export async function runClaim(
  request: CheckedRequest,
  options: ClaimOptions,
  context: ClaimContext,
): Promise<Holding> {
  const { server, wireKey } = context;
  const timeout = options.timeout ?? null;
  const started = performance.now();
  const deadline = new Deadline(timeout, options.signal);
  const { onProgress } = options;
  const claim = randomBytes(CLAIM_BYTES).toString("hex");
  const introduction = { owner: request.owner, note: request.note, claim };
  const report: { last: Lookout | null } = { last: null };
  let droppedAt: number | null = null;
  try {
    for (;;) {
      const turn = await takeTurn({
        server,
        wireKey,
        request,
        introduction,
        deadline,
        waitFor: timeout === null ? null : Math.max(0, started + timeout - performance.now()),
        wantsProgress: onProgress !== undefined && timeout !== 0,
        onQueued: () => {
          droppedAt = null;
        },
        openLookout: (onForgotten) => {
          if (onProgress === undefined) return null;
          report.last = new Lookout({
            server,
            wireKey,
            owner: request.owner.id,
            onProgress,
            onForgotten,
          });
          return report.last;
        },
      }).catch((error) => {
        // The first time it is the user's problem; later it is one that may pass.
        const mayPass = isLockError(error, "STORE_UNREACHABLE") && !deadline.signal.aborted;
        const patient = droppedAt !== null && performance.now() - droppedAt < REJOIN_LIMIT_MS;
        if (!mayPass || !patient) throw error;
        return { kind: "dropped", why: error.message } as const;
      });
      if (deadline.signal.aborted) throw aborted();
      if (turn.kind === "granted") return hold(turn);
      if (turn.kind === "timeout") break;
      droppedAt ??= performance.now();
      report.last?.report(joiningAgain(turn.why));
      await delay(REJOIN_MS, undefined, { signal: deadline.signal }).catch(() => {});
    }
  } catch (error) {
    if (!deadline.signal.aborted) throw error;
    if (!deadline.timedOut) throw aborted();
  } finally {
    deadline.clear();
  }
  const look = () => lookAt(request.key, context);
  const why = await whoIsInTheWay(server.address.shown, look);
  throw notAcquired(request.key, timeout ?? 0, why);

  function hold({
    connection,
    token,
    provenAt,
    slot,
    since,
  }: Turn & { kind: "granted" }): TcpHolding {
    const { key, owner, slots, ttl } = request;
    const fence = server.isOurs ? fenceOf(token) : null;
    return new TcpHolding({
      server,
      connection,
      introduction,
      lease: {
        key,
        store: context.store,
        owner: owner.id,
        fence,
        slot,
        since: since ?? sinceOf(fence),
        ttl: ttl / 1_000,
        waited: Math.round(performance.now() - started),
        token,
      },
      wireKey,
      slots,
      leaseSeconds: leaseSecondsOf(request),
      provenAt,
      boundAt: request.refresh ? null : provenAt + ttl,
    });
  }
}

/** A fence is the server's own clock at the grant, in microseconds. */
function sinceOf(fence: number | null): string {
  const milliseconds = fence === null ? Date.now() : Math.floor(fence / 1_000);
  return new Date(milliseconds).toISOString();
}

async function lookAt(key: string, { server, store, wireKey }: ClaimContext): Promise<KeyStatus> {
  const question = keyStatsRequest(wireKey);
  const { connection, stats } = await server.greet(question, { patience: EXPLAIN_MS });
  connection.destroy();
  return statusOf(keyIn(stats, wireKey), store, key);
}
