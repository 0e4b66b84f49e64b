import type { Claim, Entry } from "../../table/claim.ts";
import { publicName } from "../../table/names.ts";
import type { Exchange, WholeReply } from "../exchange.ts";
import { describeHolder, describeLine } from "../panel/describe.ts";
import type { Session } from "../sessions/session.ts";

/** Wall clock, milliseconds. */
function expiresAt(claim: Claim): number {
  return Math.round(claim.renewed + claim.lease);
}

export function acquired({ rawPath }: Exchange, claim: Claim): WholeReply {
  const { fence, slot, since } = claim;
  return {
    status: 200,
    headers: { "holdfast-fence": fence },
    body: {
      message: "Lock acquired",
      path: rawPath,
      sessionId: publicName(claim.party),
      fence,
      slot,
      slots: claim.entry.limit,
      lockedAt: since,
      expiresAt: expiresAt(claim),
    },
  };
}

export function refreshed({ rawPath }: Exchange, claim: Claim): WholeReply {
  const { fence } = claim;
  return {
    status: 200,
    headers: { "holdfast-fence": fence },
    body: { message: "Lock refreshed", path: rawPath, fence, expiresAt: expiresAt(claim) },
  };
}

export function released({ rawPath }: Exchange, { fence }: Claim): WholeReply {
  return { status: 200, body: { message: "Lock released", path: rawPath, fence } };
}

/** Makes the 423, about the oldest holder. A claim that was given up may find that there is none by now. */
export function locked(entry: Entry, session: Session): WholeReply {
  const holder = entry.holders.first;
  const introduction = holder?.party.introduction;
  return {
    status: 423,
    body: {
      error: "File is locked",
      message: "This file is currently being edited by another session",
      lockedBy: holder === null ? null : publicName(holder.party),
      lockedAt: holder?.since ?? null,
      expiresAt: holder === null ? null : expiresAt(holder),
      fence: holder?.fence ?? null,
      owner: introduction?.owner.id ?? null,
      note: introduction?.note ?? null,
      metadata: introduction?.owner.metadata ?? {},
      position: positionOf(entry, session),
      waiting: entry.waiters.size,
    },
  };
}

/** Makes the answer to `?lock=status`; `own` is the session's own lock, which is shown first. */
export function status(entry: Entry | undefined, own: Claim | null, session: Session): WholeReply {
  const shown = own ?? entry?.holders.first ?? null;
  return {
    status: 200,
    body: {
      locked: shown !== null,
      ...(shown === null ? {} : { lock: describeLock(shown) }),
      ownedByThisSession: own !== null,
      slots: entry?.limit ?? 1,
      holders: entry === undefined ? [] : Array.from(entry.holders, describeHolder),
      waiting: entry?.waiters.size ?? 0,
      waiters: entry === undefined ? [] : describeLine(entry),
      position: entry === undefined ? null : positionOf(entry, session),
    },
  };
}

function describeLock(claim: Claim): object {
  const { party, since, fence, slot } = claim;
  return {
    lockedBy: publicName(party),
    lockedAt: since,
    expiresAt: expiresAt(claim),
    fence,
    owner: party.introduction?.owner.id ?? null,
    note: party.introduction?.note ?? null,
    metadata: party.introduction?.owner.metadata ?? {},
    slot,
  };
}

/** The session's place in line, 1 is next; null where it does not wait here. */
function positionOf(entry: Entry, session: Session): number | null {
  if (!session.waits?.has(entry.key)) return null;
  let position = 1;
  for (let claim = entry.waiters.first; claim !== null; claim = claim.next) {
    if (session.owns(claim)) return position;
    position += 1;
  }
  return null;
}
