import type { LockError } from "../../../lock/errors.ts";
import { resourcesMismatch, slotsMismatch } from "../../../lock/request.ts";
import { isSameResources } from "../../../lock/resources.ts";
import { encodeWireKey } from "../../../wire/key.ts";
import type { Claim, Entry } from "../../table/claim.ts";
import type { Refusal } from "../../table/types.ts";
import { requireSession, rightsOf, sessionEnded } from "../auth.ts";
import type { DoorState, GatedRun } from "../context.ts";
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
import { type LockWord, readRun, readTerms } from "./query.ts";
import {
  acquired,
  locked,
  notHeld,
  refreshed,
  released,
  status,
  superseded,
  withLeft,
} from "./replies.ts";
import { doubtRun, isByToken, refreshRun, releaseRun, serveByToken, TOKEN_HEADER } from "./runs.ts";
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
  if ((word === "release" || word === "refresh") && isByToken(exchange)) {
    return serveByToken(exchange, encodeWireKey(exchange.path), word, state);
  }
  const session = requireSession(exchange, state);
  const key = encodeWireKey(exchange.path);
  // What a job holds it may always keep and release: no lock stays shut because a policy changed.
  if (word === "acquire") rightsOf(session, state)?.demand("claim", exchange.path);
  switch (word) {
    case "acquire":
      return acquire(exchange, key, session, state);
    case "release":
      return release(exchange, key, session, state);
    case "refresh":
      return refresh(exchange, key, session, state);
    case "status": {
      const own = ownLock(key, session, state) ?? sharedHold(key, session, state);
      if (own === null && session.party.claims().every(({ entry }) => entry.key !== key)) {
        rightsOf(session, state)?.demand("look", exchange.path);
      }
      return status(state.table.current(key), own, session);
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
  const terms = readTerms(exchange, session);
  const { wait, slots, weight, priority, resources, ready } = terms;
  const gated = gatedRun(key, session, state);
  if (gated !== null && terms.run !== null) state.gate?.keep(gated.id, key);
  const run = gated ?? terms.run;
  const newer = terms.newest ? session.superseded?.get(key) : undefined;
  if (newer !== undefined) return superseded(exchange, newer);
  const entry = state.table.current(key);
  const isShared = run !== null && table.holdOfRun(key, run.id) !== null;
  let patience = wait;
  if (entry?.isUsed && !isShared) {
    if (entry.limit !== slots) throw differs(slotsMismatch(exchange.path, slots, entry.limit));
    if (!isSameResources(entry.resources, resources))
      throw differs(resourcesMismatch(exchange.path, resources, entry.resources));
    const own = heldBy(entry, session);
    if (own !== null) return renew(exchange, own, session, state);
    const earlier = session.waits?.get(key);
    if (earlier !== undefined) {
      if (ready) table.declare(earlier.claim);
      return waitOn(exchange, earlier, wait, session, state);
    }
    if (entry.holders.first?.party === session.writer) patience = Math.max(wait, OWN_WRITE_MS);
  } else if (entry !== undefined && !isShared) table.resize(entry, slots, resources);
  const isClosed = entry !== undefined && !entry.isOpenTo({ weight, priority }) && !isShared;
  if (isClosed && patience === 0) return locked(exchange, entry, session);
  const { newest, age } = terms;
  const asked = { newest, age, run: run?.id ?? null, weight, priority, resources, ready };
  const claim = table.claim(session.party, key, slots, run?.ttl ?? LEASE_MS, asked);
  if (typeof claim === "string") throw refusal(claim, exchange, slots);
  if (terms.run === null && gated !== null && claim.state === "waiting") state.gate?.lend(claim);
  session.broken?.delete(key);
  session.superseded?.delete(key);
  if (claim.newer !== null) {
    session.remember(key, claim.newer);
    return superseded(exchange, claim.newer);
  }
  if (claim.state === "held") return settle(state, granted(exchange, claim, session, state));
  const inLine = new Wait(claim, session, table, () => state.sessions.use(session));
  return waitOn(exchange, inLine, patience, session, state);
}

/** Tells of a grant. What a run holds ends with no session, so a grant that nobody heard of is taken back. */
function granted(exchange: Exchange, claim: Claim, session: Session, state: DoorState): WholeReply {
  const reply = acquired(exchange, claim);
  if (claim.run === null) return reply;
  // It is no claim of the session's, which hears of a break only where it asks.
  session.noteBreak(claim);
  const told = withLeft(reply, claim, state.clock.monotonic());
  return { ...told, undelivered: () => doubtRun(claim, state) };
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
  return settle(state, { ...acquired(exchange, own), delivered: () => tell(own, session) });
}

/** Its session knows of the lock from here on: no answer that got lost can take it back. */
function tell(own: Claim, session: Session): void {
  own.told = true;
  session.waits?.get(own.entry.key)?.settle();
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
    const delivered = () => tell(claim, session);
    if (wait.isHeldNow())
      return settle(state, { delivered, ...granted(exchange, wait.held, session, state) });
    return locked(exchange, claim.entry, session);
  }
  return wait.attend(exchange, patience).then((outcome) => {
    // The lock may have become free in the moment between the end of the wait and this answer.
    const held = outcome === "held" || (outcome === "timeout" && wait.isHeldNow());
    if (!held) return waitedInVain(outcome, exchange, claim, session);
    try {
      // The policy may have been read anew while it waited.
      rightsOf(session, state)?.demand("claim", exchange.path);
    } catch (error) {
      wait.giveUp();
      throw error;
    }
    const reply = granted(exchange, wait.held, session, state);
    const delivered = () => tell(claim, session);
    return settle(state, { delivered, undelivered: () => wait.doubt(), ...reply });
  });
}

/** Makes the answer to a request that waited and did not get the lock. */
function waitedInVain(
  outcome: Outcome,
  exchange: Exchange,
  { entry, newer }: Claim,
  session: Session,
): WholeReply {
  if (outcome === "shutdown") return problem(503, ...CLOSING);
  if (outcome === "superseded" && newer !== null) return superseded(exchange, newer);
  if (outcome === "session-ended") return sessionEnded().reply;
  return locked(exchange, entry, session);
}

function refresh(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
): Reply | Promise<Reply> {
  const asked = readRun(exchange, session);
  const shared = sharedHold(key, session, state)?.run ?? null;
  const run = shared ?? (asked === null ? null : (gatedRun(key, session, state)?.id ?? asked));
  if (run !== null) return refreshRun(exchange, key, run, state, rightsOf(session, state));
  const own = ownLock(key, session, state);
  if (own === null) return notHeld(exchange, "refreshed", breakingOf(session.broken?.get(key)));
  state.table.renew(session.party, key, own.token, LEASE_MS);
  tell(own, session);
  return settle(state, refreshed(exchange, own));
}

function release(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
): Reply | Promise<Reply> {
  const gated = gatedRun(key, session, state);
  const asked = readRun(exchange, session);
  const run = asked === null ? null : (gated?.id ?? asked);
  // A job that shares the hold of its run has nothing of its own: the gate releases it in the end.
  const shared = asked === null ? sharedHold(key, session, state) : null;
  if (shared !== null) return released(exchange, shared);
  const isOfRun = run !== null || exchange.header(TOKEN_HEADER) !== undefined;
  if (isOfRun) return releaseRun(exchange, key, run, state, rightsOf(session, state));
  session.superseded?.delete(key);
  const own = ownLock(key, session, state);
  if (own === null) {
    // A client that releases what it only waits for does not want to wait any longer.
    session.waits?.get(key)?.giveUp();
    return notHeld(exchange, "released", breakingOf(session.broken?.get(key)));
  }
  session.waits?.get(key)?.settle();
  state.table.release(key, own.token);
  return settle(state, released(exchange, own));
}

/** The run of the session's job, where the gate claims the key for it and the session itself holds nothing. */
function gatedRun(key: string, session: Session, state: DoorState): GatedRun | null {
  const gated = state.gate?.runOf(session, key) ?? null;
  return gated === null || ownLock(key, session, state) !== null ? null : gated;
}

/** What the gate holds for the run of the session's job, which shares it. */
function sharedHold(key: string, session: Session, state: DoorState): Claim | null {
  const gated = gatedRun(key, session, state);
  return gated === null ? null : state.table.holdOfRun(key, gated.id);
}

function breakingOf(claim: Claim | undefined) {
  return claim?.breaking ? { ...claim.breaking, fence: claim.fence } : null;
}

function ownLock(key: string, session: Session, state: DoorState): Claim | null {
  const entry = state.table.current(key);
  return entry === undefined ? null : heldBy(entry, session);
}

export function heldBy(entry: Entry, session: Session): Claim | null {
  return entry.holders.find((claim) => session.owns(claim));
}

function differs({ message }: LockError): Problem {
  return new Problem(409, "Slots differ", message);
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
    case "resources-mismatch":
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
