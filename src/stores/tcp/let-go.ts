import type { ReleaseOutcome } from "../../lock/store.ts";
import { within } from "../../lock/time.ts";
import { introductionRequest } from "../../wire/introduction.ts";
import { type Request, releaseRequest } from "../../wire/request.ts";
import type { Connection } from "./connection.ts";
import { wasCut } from "./errors.ts";
import type { Held } from "./holding.ts";

/** A server answers in milliseconds; after this another connection is tried. */
const ANSWER_MS = 5_000;

export function releaseOf({ wireKey: key, slots: limit, lease }: Held): Request {
  return releaseRequest({ key, limit, token: lease.token });
}

/** Lets go of a lock on the connection that holds it, or on a new one where that is broken. */
export async function letGo(held: Held, current: Connection | null): Promise<ReleaseOutcome> {
  const answer =
    current === null ? null : await tellRelease(current, releaseOf(held)).catch(() => null);
  if (answer !== null) return answer;
  const { connection } = await held.server.greet(introductionRequest(held.introduction));
  try {
    const outcome = await tellRelease(connection, releaseOf(held));
    // The connection broke under the first word: the lock was ours until then, and is free now,
    // by that word or by the break. That is no loss.
    return current === null ? outcome : "released";
  } finally {
    connection.destroy();
  }
}

export async function tellRelease(
  connection: Connection,
  request: Request,
): Promise<ReleaseOutcome> {
  const late = () => wasCut(connection.address);
  const reply = await within(connection.ask(request), ANSWER_MS, late);
  return reply.kind === "ok" ? "released" : "already-gone";
}
