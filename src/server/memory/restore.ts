import type { Clock } from "../../lock/time.ts";
import type { Found, StoredLease } from "../storage/types.ts";
import type { Listener, Party } from "../table/claim.ts";
import type { LockTable } from "../table/table.ts";

/** The listener of a party from before the restart, which cannot be told anything. */
const NOBODY: Listener = { granted() {}, ended() {} };

/**
 * Puts back what was held when the server ended, before its doors open. Returns the parties of the
 * sessions, by the digest of their ids: the HTTP door gives them their listeners.
 *
 * A keeper's lease starts anew: it may have been renewed a moment before the end, which was not
 * written down, and the server's clock may have changed since. A longer lease than its keeper counts
 * on is safe; a shorter one would let a second holder in. A session was told when its lock ends, and
 * that stands.
 */
export function restoreLeases(table: LockTable, found: Found, clock: Clock): Map<string, Party> {
  const sessions = new Map<string, Party>();
  for (const { digest, introduction } of found.sessions) {
    const party = table.admit(NOBODY, digest);
    party.introduction = introduction;
    sessions.set(digest, party);
  }
  for (const lease of found.leases) {
    const party = lease.session === null ? ghost(table, lease) : sessions.get(lease.session);
    // Its session is over: so is the lock.
    if (party === undefined) continue;
    const left =
      lease.session === null
        ? lease.lease
        : Math.min(lease.lease, Math.max(0, lease.expiresAt - clock.now()));
    table.restore(party, { ...lease, left }).kept = lease.lease;
  }
  return sessions;
}

/** Makes a party that is gone, as a connection that closed: a client that renews with the token replaces it. */
function ghost(table: LockTable, { introduction }: StoredLease): Party {
  const party = table.admit(NOBODY);
  party.introduction = introduction;
  party.gone = true;
  return party;
}
