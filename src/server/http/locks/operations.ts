import { brokenWords } from "../../../lock/history.ts";
import { slotsMismatch } from "../../../lock/request.ts";
import { encodeWireKey } from "../../../wire/key.ts";
import type { Claim, Entry } from "../../table/claim.ts";
import type { Refusal } from "../../table/types.ts";
import { requireSession, sessionEnded } from "../auth.ts";
import type { DoorState } from "../context.ts";
import {
  type Exchange,
  Problem,
  problem,
  type Reply,
  type WholeReply,
  wrongMethod,
} from "../exchange.ts";
import type { Session } from "../sessions/session.ts";
import { settle } from "../settle.ts";
import { type LockWord, readTerms } from "./query.ts";
import { acquired, locked, refreshed, released, status } from "./replies.ts";
import { type Outcome, Wait } from "./wait.ts";

/** The spec's 1,800 seconds. */
export const LEASE_MS = 1_800_000;

/** How long a session waits for a lock that its own write has. */
const OWN_WRITE_MS = 10_000;

const BUSY_RETRY_SECONDS = 5;

/** Answers `?lock=`, for GET alone, as the spec has it; in particular HEAD never locks. */
export function serveLock(
  exchange: Exchange,
  word: LockWord,
  state: DoorState,
): Reply | Promise<Reply> {
  if (exchange.method !== "GET") throw wrongMethod(exchange, "GET");
  const session = requireSession(exchange, state);
  const key = encodeWireKey(exchange.path);
  switch (word) {
    case "acquire":
      return acquire(exchange, key, session, state);
    case "release":
      return release(exchange, key, session, state);
    case "refresh":
      return refresh(exchange, key, session, state);
    case "status": {
      const entry = currentEntry(state, key);
      return status(entry, entry === undefined ? null : heldBy(entry, session), session);
    }
  }
}

function acquire(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
): Reply | Promise<Reply> {
  const { table } = state;
  const { wait, slots } = readTerms(exchange);
  const entry = currentEntry(state, key);
  let patience = wait;
  if (entry !== undefined && !entry.idle) {
    if (entry.limit !== slots) throw mismatch(exchange.path, slots, entry.limit);
    const own = heldBy(entry, session);
    if (own !== null) return renew(exchange, own, session, state);
    const earlier = session.waits?.get(key);
    if (earlier !== undefined) return waitOn(exchange, earlier, wait, session, state);
    if (entry.holders.first?.party === session.writer) patience = Math.max(wait, OWN_WRITE_MS);
    if (patience === 0 && entry.holders.size >= entry.limit) return locked(entry, session);
  }
  const claim = table.claim(session.party, key, slots, LEASE_MS);
  if (typeof claim === "string") throw refusal(claim, exchange, slots);
  session.broken?.delete(key);
  if (claim.state === "held") return settle(state, acquired(exchange, claim));
  const inLine = new Wait(claim, session, table, () => state.sessions.use(session));
  return waitOn(exchange, inLine, patience, session, state);
}

/** Renews a lock that the session acquires again: it lasts anew, and is as old as it was. */
function renew(
  exchange: Exchange,
  own: Claim,
  session: Session,
  state: DoorState,
): Reply | Promise<Reply> {
  state.table.renew(session.party, own.entry.key, own.token, LEASE_MS);
  session.waits?.get(own.entry.key)?.settle();
  return settle(state, acquired(exchange, own));
}

function waitOn(
  exchange: Exchange,
  wait: Wait,
  patience: number,
  session: Session,
  state: DoorState,
): Reply | Promise<Reply> {
  const { claim } = wait;
  if (patience === 0) {
    if (wait.isHeldNow()) return settle(state, acquired(exchange, claim));
    return locked(claim.entry, session);
  }
  return wait.attend(exchange, patience).then((outcome) => {
    // The lock may have become free in the moment between the end of the wait and this answer.
    const held = outcome === "held" || (outcome === "timeout" && wait.isHeldNow());
    return held
      ? settle(state, { ...acquired(exchange, claim), undelivered: () => wait.doubt() })
      : waitedInVain(outcome, claim.entry, session);
  });
}

/** Makes the answer to a request that waited and did not get the lock. */
function waitedInVain(outcome: Outcome, entry: Entry, session: Session): WholeReply {
  if (outcome === "shutdown") return problem(503, ...CLOSING);
  if (outcome === "session-ended") return sessionEnded().reply;
  return locked(entry, session);
}

function refresh(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
): Reply | Promise<Reply> {
  const own = ownLock(key, session, state);
  if (own === null) return notHeld(exchange, "refreshed", session.broken?.get(key));
  state.table.renew(session.party, key, own.token, LEASE_MS);
  session.waits?.get(key)?.settle();
  return settle(state, refreshed(exchange, own));
}

function release(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
): Reply | Promise<Reply> {
  const own = ownLock(key, session, state);
  if (own === null) {
    // A client that releases what it only waits for does not want to wait any longer.
    session.waits?.get(key)?.giveUp();
    return notHeld(exchange, "released", session.broken?.get(key));
  }
  session.waits?.get(key)?.settle();
  state.table.release(key, own.token);
  return settle(state, released(exchange, own));
}

/** Makes the 404 of a session that does not hold the lock; `broken` is the claim that was taken from it. */
function notHeld({ rawPath }: Exchange, done: string, broken?: Claim): WholeReply {
  if (broken?.breaking) {
    const { reason, by } = broken.breaking;
    const { fence } = broken;
    const words = brokenWords({ reason, by });
    const message = `This session does not hold ${rawPath}, so nothing was ${done}: ${words}.`;
    return { status: 404, body: { error: "Lock broken", message, reason, by, fence } };
  }
  return problem(
    404,
    "Lock not found",
    `This session does not hold ${rawPath}, so nothing was ${done}: it may have expired, or belong to another session.`,
  );
}

function ownLock(key: string, session: Session, state: DoorState): Claim | null {
  const entry = currentEntry(state, key);
  return entry === undefined ? null : heldBy(entry, session);
}

/** Finds the key's state, without leases that ran out since the last sweep. */
export function currentEntry({ table, clock }: DoorState, key: string): Entry | undefined {
  const entry = table.find(key);
  if (entry !== undefined && entry.earliest <= clock.monotonic()) table.sweep();
  return entry;
}

export function heldBy(entry: Entry, session: Session): Claim | null {
  let claim = entry.holders.first;
  while (claim !== null && !session.owns(claim)) claim = claim.next;
  return claim;
}

export function mismatch(key: string, asked: number, present: number): Problem {
  return new Problem(409, "Slots differ", slotsMismatch(key, asked, present).message);
}

const CLOSING = [
  "Server closing",
  "The server is being stopped: try again when it is back.",
  { "retry-after": BUSY_RETRY_SECONDS },
] as const;

/** Makes the answer to a claim that the table refused. */
export function refusal(reason: Refusal, { path }: Exchange, slots: number): Problem {
  switch (reason) {
    case "limit-mismatch":
      return new Problem(409, "Slots differ", `The key is in use with other slots than ${slots}.`);
    case "max-locks":
      return busy(
        `The server has no room for a further key, so ${JSON.stringify(path)} cannot be locked now.`,
      );
    case "max-waiters":
      return busy(`Too many wait for ${JSON.stringify(path)} already.`);
    default:
      return new Problem(503, ...CLOSING);
  }
}

function busy(message: string): Problem {
  return new Problem(503, "Server full", `${message} Try again later.`, {
    "retry-after": BUSY_RETRY_SECONDS,
  });
}
