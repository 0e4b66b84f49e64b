import type { Clock } from "../../lock/time.ts";
import type { Storage, StoredLease } from "../storage/types.ts";
import type { Claim, Party } from "../table/claim.ts";
import type { LockTable } from "../table/table.ts";
import { NOBODY } from "../table/turns.ts";

/**
 * How long a session from before a restart, and what it holds, live at least, or the session's ttl
 * where that is shorter: its client needs time to come back. What seems to be over may not be: the
 * clock may have been set meanwhile, and its client may still be at work.
 */
export const SESSION_GRACE_MS = 60_000;

/**
 * How long a claim that waited when the server ended has to come back to its place. Meanwhile nobody
 * passes it; afterwards it is dropped. It is longer than the longest pause of a client that lives:
 *
 * - Both kinds try again after 250 ms where the connection is refused or breaks.
 * - Over TCP a try without any answer is given up after 10 s.
 * - Over HTTP a pause that an answer asks for is at most 12.5 s; a request to a machine that is down
 *   is given up after 30 s, and the last 15 s of these are the longest time without a packet of it.
 *
 * Each restart in a row that a claim does not come back after halves it: a server that restarts again
 * and again keeps a lock from those who live for twice as long at most.
 */
export const PLACE_GRACE_MS = 20_000;

/**
 * Puts back what was held and who waited when the server ended, before its doors open. Returns the
 * parties of the sessions, by the digest of their ids: the HTTP door gives them their listeners.
 *
 * A keeper's lease starts anew: it may have been renewed a moment before the end, which was not
 * written down, and the server's clock may have changed since. A longer lease than its keeper counts
 * on is safe; a shorter one would let a second holder in. A session or a run was told when its lock
 * ends, and that stands; but a session's stays held for its grace.
 */
export function restore(
  table: LockTable,
  storage: Pick<Storage, "found" | "record">,
  clock: Clock,
): Map<string, Party> {
  const { found } = storage;
  const sessions = new Map<string, Party>();
  for (const { digest, introduction } of found.sessions) {
    const party = table.admit(NOBODY, digest);
    party.introduction = introduction;
    sessions.set(digest, party);
  }
  for (const { key, freeze, only } of found.freezes) table.restoreFreeze(key, freeze, only);
  for (const lease of found.leases) {
    if (lease.run !== null) {
      restoreRun(table, lease, clock);
      continue;
    }
    const party = lease.session === null ? ghost(table, lease) : sessions.get(lease.session);
    // Its session is over: so is the lock.
    if (party === undefined) continue;
    const left =
      lease.session === null
        ? lease.lease
        : Math.min(lease.lease, Math.max(SESSION_GRACE_MS, lease.expiresAt - clock.now()));
    table.restore(party, { ...lease, left }).kept = lease.lease;
  }
  for (const place of found.line) {
    const party = place.session === null ? ghost(table, place) : sessions.get(place.session);
    const left = PLACE_GRACE_MS / 2 ** place.missed;
    if (party !== undefined) table.restorePlace(party, { ...place, left });
    // Its session is over: so is its place.
    else storage.record({ kind: "line", joined: [], changed: [], left: [place.place], back: [] });
  }
  if (found.line.length > 0) storage.record({ kind: "awaiting" });
  return sessions;
}

function restoreRun(table: LockTable, lease: StoredLease, clock: Clock): Claim {
  const left = Math.min(lease.lease, Math.max(0, lease.expiresAt - clock.now()));
  const claim = table.restore(null, { ...lease, left });
  claim.party.introduction = lease.introduction;
  claim.kept = lease.lease;
  // Nobody knows whether another job of the run was told of it.
  claim.shared = true;
  return claim;
}

/** Makes a party that is gone, as a connection that closed: a client that proves to be the same replaces it. */
function ghost(table: LockTable, { introduction }: Pick<StoredLease, "introduction">): Party {
  const party = table.admit(NOBODY);
  party.introduction = introduction;
  party.gone = true;
  return party;
}
