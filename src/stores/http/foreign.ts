import { setTimeout as delay } from "node:timers/promises";
import { LockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import { quote } from "../../lock/text.ts";
import type { LockServer } from "./client.ts";
import type { HttpLookout } from "./lookout.ts";
import type { Session } from "./session.ts";
import { pictureIn } from "./status.ts";

/**
 * Servers of the protocol's authors look first and write then: two sessions that ask at once can both
 * be told that they have the lock, and the later write counts. After this pause both are written.
 */
const SETTLE_MS = 150;

const NOT_EXCLUSIVE =
  "this server can grant a lock to two at the same moment, knows no line and gives no fencing numbers";

interface Granted {
  readonly server: LockServer;
  readonly session: Session;
  readonly serverKey: string;
  readonly request: CheckedRequest;
  readonly signal: AbortSignal;
  readonly lookout: HttpLookout | null;
}

/** Whether a session that was told so has the lock indeed. */
export async function confirmOwn(granted: Granted): Promise<boolean> {
  const { server, session, serverKey, request, signal, lookout } = granted;
  lookout?.warn(NOT_EXCLUSIVE);
  await delay(SETTLE_MS, undefined, { signal }).catch(() => {});
  const { status, body } = await session.lock("status", serverKey, { signal });
  const isOwn = status === 200 && body !== null && pictureIn(body).isOwn;
  if (isOwn && request.slots > 1) {
    await session.lock("release", serverKey);
    refuseSlots(server, request);
  }
  return isOwn;
}

/** A session that holds the key is given it again: two claims in one session would both have it. */
export async function refuseOwned(
  server: LockServer,
  session: Session,
  serverKey: string,
  signal: AbortSignal,
): Promise<void> {
  const answer = await session.lock("status", serverKey, { signal });
  if (answer.status !== 200 || answer.body === null) throw server.refusal(answer);
  if (!pictureIn(answer.body).isOwn) return;
  throw new LockError(
    "ALREADY_HELD",
    `The session that was given as the token holds ${quote(serverKey)} at the lock server ${server.address.shown} already: release it there, or give each claim a session of its own.`,
  );
}

export function refuseSlots({ address }: LockServer, { slots }: CheckedRequest): void {
  if (slots === 1) return;
  throw new LockError(
    "NOT_SUPPORTED",
    `The lock server ${address.shown} knows no slots: use slots 1, or a server that has them.`,
  );
}
