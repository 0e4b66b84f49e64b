import { setTimeout as delay } from "node:timers/promises";
import { LockError } from "../../lock/errors.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import { quote } from "../../lock/text.ts";
import { asFields, type Fields } from "../remote/fields.ts";
import type { LockServer } from "./client.ts";
import { ignoredIn, LATER_WORDS, type LaterWord, laterWordsOf } from "./later-words.ts";
import type { HttpLookout } from "./lookout.ts";
import type { Session, Terms } from "./session.ts";
import { pictureIn } from "./status.ts";

/**
 * Servers of the protocol's authors look first and write then: two sessions that ask at once can both be told
 * that they have the lock, and the later write counts. After this pause both writes are done.
 */
const SETTLE_MS = 150;

const NOT_EXCLUSIVE =
  "this server can grant a lock to two at the same moment, knows no line and gives no fencing numbers";

interface Granted {
  readonly server: LockServer;
  readonly session: Session;
  readonly serverKey: string;
  readonly request: CheckedRequest;
  /** What was asked for. */
  readonly terms: Terms;
  readonly signal: AbortSignal;
  readonly lookout: HttpLookout | null;
}

/** Whether a session that was told so really has the lock. */
export async function confirmOwn(granted: Granted): Promise<boolean> {
  const { server, session, serverKey, request, terms, signal, lookout } = granted;
  if (!isBeyond(request, terms)) lookout?.warn(NOT_EXCLUSIVE);
  await delay(SETTLE_MS, undefined, { signal }).catch(() => {});
  const { status, body } = await session.lock("status", serverKey, { signal });
  const isOwn = status === 200 && body !== null && pictureIn(body).isOwn;
  if (isOwn && isBeyond(request, terms)) {
    await session.lock("release", serverKey);
    refuseTerms(server, request, laterWordsOf(terms));
  }
  return isOwn;
}

/** A session that holds the key would be given it again: two claims in one session would both have it. */
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

/** Whether a claim asks for more than the protocol of the specification has. */
function isBeyond({ slots, line, run }: CheckedRequest, terms: Terms): boolean {
  return slots > 1 || line === "newest" || run !== null || laterWordsOf(terms).length > 0;
}

/**
 * Throws if a claim asks for something that only our own server has, or has `words` that the server does not
 * know.
 */
export function refuseTerms(
  { address }: LockServer,
  { slots, line, run }: Pick<CheckedRequest, "slots" | "line" | "run">,
  words: readonly LaterWord[],
): void {
  const [word] = words;
  if (word !== undefined) throw notKnown(address.shown, LATER_WORDS[word]);
  if (slots > 1) {
    throw new LockError(
      "NOT_SUPPORTED",
      `The lock server ${address.shown} knows no slots: use slots 1, or a server that has them.`,
    );
  }
  if (line === "newest") throw notKnown(address.shown, "no line in which the newest claim wins");
  if (run !== null) throw notKnown(address.shown, "no locks of whole runs");
}

/** Throws if a server of ours did not heed words of the claim that are newer than the server. */
export async function refuseIgnored(
  { server, session, serverKey, request, terms }: Omit<Granted, "signal" | "lookout">,
  body: Fields,
): Promise<void> {
  const isRun = asFields(body.run) !== null;
  const isHeeded = request.run !== null ? isRun : isRun || body.line === "newest";
  const ignored = ignoredIn(body, terms);
  const isRefused = !isHeeded && (request.run !== null || request.line === "newest");
  if (!isRefused && ignored.length === 0) return;
  await session.lock("release", serverKey);
  refuseTerms(server, { ...request, slots: 1 }, ignored);
}

export function notKnown(shown: string, what: string): LockError {
  return new LockError(
    "NOT_SUPPORTED",
    `The lock server ${shown} has ${what}: use holdfast serve of this version, or another store.`,
  );
}
