import type { Claim } from "../../table/claim.ts";
import { sessionEnded } from "../auth.ts";
import type { DoorState } from "../context.ts";
import { type Exchange, Problem, type Reply, type WholeReply } from "../exchange.ts";
import type { Session } from "../sessions/session.ts";
import { settle } from "../settle.ts";
import { heldBy, LEASE_MS, refusal } from "./operations.ts";
import { locked } from "./replies.ts";

/** The outcome of a write. `done`: a PUT that succeeded, which also releases an explicit lock. */
interface Written {
  readonly reply: WholeReply;
  readonly done: boolean;
}

/** The lock that simultaneous writes of one session to one key share; the last one releases it. */
interface SharedLock {
  readonly claim: Claim;
  writes: number;
}

const shared = new WeakMap<Claim, SharedLock>();

/** Checks whether a write can begin: null, or the answer where another session has the lock. */
export function checkWritable(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
): WholeReply | null {
  const entry = state.table.current(key);
  if (entry === undefined || entry.idle || heldBy(entry, session) !== null) return null;
  if (entry.isUsed && entry.limit > 1) throw severalSlots(exchange, entry.limit);
  if (entry.holders.size > 0 && entry.holders.first?.party === session.writer) return null;
  return entry.isOpenTo() ? null : locked(exchange, entry, session);
}

/**
 * Writes under the session's own lock, or under one that lasts for the write alone. `write` gets the
 * fence of the explicit lock.
 */
export async function withWriteLock(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
  write: (fence: number | null) => Promise<Written>,
): Promise<Reply> {
  if (session.over) throw sessionEnded();
  const taken = checkWritable(exchange, key, session, state);
  if (taken !== null) return taken;
  const entry = state.table.find(key);
  const own = entry === undefined ? null : heldBy(entry, session);
  if (own === null) return withPassingLock(exchange, key, session, state, write);
  session.waits?.get(key)?.settle();
  const { reply, done } = await write(own.fence);
  if (done && own.state === "held") state.table.release(key, own.token);
  return settle(state, reply);
}

async function withPassingLock(
  exchange: Exchange,
  key: string,
  session: Session,
  state: DoorState,
  write: (fence: null) => Promise<Written>,
): Promise<Reply> {
  const lock = join(exchange, key, session, state);
  try {
    const { reply } = await write(null);
    return settle(state, reply);
  } finally {
    lock.writes -= 1;
    const { claim } = lock;
    if (lock.writes === 0 && claim.state === "held") state.table.release(key, claim.token);
  }
}

function join(exchange: Exchange, key: string, session: Session, state: DoorState): SharedLock {
  const holder = state.table.find(key)?.holders.first ?? null;
  const present = holder === null ? undefined : shared.get(holder);
  if (present !== undefined && holder?.party === session.writer) {
    present.writes += 1;
    return present;
  }
  const claim = state.table.claim(session.writer, key, 1, LEASE_MS);
  if (typeof claim === "string") throw refusal(claim, exchange, 1);
  const lock: SharedLock = { claim, writes: 1 };
  shared.set(claim, lock);
  return lock;
}

function severalSlots({ rawPath }: Exchange, slots: number): Problem {
  return new Problem(
    409,
    "Slots differ",
    `Up to ${slots} may hold ${rawPath} at once, so a write needs a lock of its own first: ?lock=acquire&slots=${slots}.`,
  );
}
