import type { Clock } from "../../lock/time.ts";
import type { Found, StoredLease } from "../storage/types.ts";
import type { Listener, Party } from "../table/claim.ts";
import type { LockTable } from "../table/table.ts";

/** A party of before: there is nobody to be told anything. */
const NOBODY: Listener = { granted() {}, ended() {} };

/**
 * Puts back what was held when the server ended, before its doors open. Returns the parties of the
 * sessions, by the digest of their ids: the HTTP door gives them their voice.
 *
 * A keeper's lease starts anew: it may have been renewed a moment before the end, which nobody wrote
 * down, and the server's clock may have changed since. Longer than its keeper counts on is safe;
 * shorter would let a second one in. A session was told by which moment its lock ends: that stands.
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

/** Gone, as a connection that closed: whoever renews with the token takes its place. */
function ghost(table: LockTable, { introduction }: StoredLease): Party {
  const party = table.admit(NOBODY);
  party.introduction = introduction;
  party.gone = true;
  return party;
}
