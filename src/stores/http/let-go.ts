import { isLockError } from "../../lock/errors.ts";
import type { ReleaseOutcome } from "../../lock/store.ts";
import type { Answer } from "./answer.ts";
import type { LockServer } from "./client.ts";
import type { Session } from "./session.ts";

/** A server answers in milliseconds; after this another connection is tried. */
const ANSWER_MS = 5_000;

interface Lock {
  readonly server: LockServer;
  readonly session: Session;
  readonly serverKey: string;
}

/** Lets go of a lock and then of its session, which some servers do not take as the same. */
export async function letGo(lock: Lock): Promise<ReleaseOutcome> {
  const { server, session } = lock;
  const outcome = await tellRelease(lock).catch(async (error) => {
    if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
    await server.dropIdle();
    // The answer to the first word was lost, perhaps after it was heard: that is no loss.
    await tellRelease(lock);
    return "released" as const;
  });
  await session.end();
  return outcome;
}

async function tellRelease({ server, session, serverKey }: Lock): Promise<ReleaseOutcome> {
  const answer = await session.lock("release", serverKey, { patience: ANSWER_MS, once: true });
  if (answer.status === 200 && answer.body !== null) return "released";
  if (isGone(answer)) return "already-gone";
  throw server.refusal(answer);
}

/** Not held by this session, or there is no such session. */
function isGone({ status, body }: Answer): boolean {
  return (status === 404 || status === 401 || status === 423) && body?.error !== undefined;
}
