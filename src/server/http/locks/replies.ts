import { brokenWords } from "../../../lock/history.ts";
import { resourcesOf } from "../../../lock/resources.ts";
import { describeHolder, describeLine, frozenSlotsOf, ownerOf } from "../../observers/describe.ts";
import type { Claim, Entry } from "../../table/claim.ts";
import type { Breaking, Newer } from "../../table/ends.ts";
import { publicName } from "../../table/names.ts";
import { type Exchange, problem, type WholeReply } from "../exchange.ts";
import type { Session } from "../sessions/session.ts";
import { heededIn } from "./query.ts";

/** Wall clock, milliseconds. */
function expiresAt(claim: Claim): number {
  return Math.round(claim.renewed + claim.lease);
}

export function acquired(exchange: Exchange, claim: Claim): WholeReply {
  const { fence, slot, since } = claim;
  const { rawPath } = exchange;
  const resources = resourcesOf(claim.entry.resources, claim.slots);
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
      ...heededIn(exchange),
      ...(claim.newest ? { line: "newest" } : {}),
      ...(claim.several === null ? {} : { heldSlots: claim.slots }),
      ...(resources === null ? {} : { resources }),
      ...(claim.run === null
        ? {}
        : { token: claim.token, run: { id: claim.run, until: claim.bound } }),
    },
  };
}

/** The milliseconds that are left of a run's hold, whose clients cannot make them more. */
export function withLeft(reply: WholeReply, claim: Claim, now: number): WholeReply {
  const left = Math.max(0, Math.round(claim.expires - now));
  return { ...reply, body: { ...(reply.body as object), left } };
}

/** Makes the answer to a claim that a newer one ended. */
export function superseded({ rawPath }: Exchange, { by, url }: Newer): WholeReply {
  const page = url === null ? "" : ` (${url})`;
  const message = `The claim of ${rawPath} was superseded by ${by}${page}, which is newer.`;
  return { status: 409, body: { error: "Superseded", message, by, url } };
}

/** Makes the 404 to a run that does not hold the lock. */
export function notOfRun({ rawPath }: Exchange, done: string, entry?: Entry): WholeReply {
  const holder = entry?.holders.first ?? null;
  const heldBy = holder === null ? null : ownerOf(holder.party);
  const who = heldBy === null ? "nobody holds it" : `it is held by ${heldBy}`;
  const message = `The run does not hold ${rawPath}, so nothing was ${done}: ${who}.`;
  return { status: 404, body: { error: "Lock not found", message, heldBy } };
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
export function locked(exchange: Exchange, entry: Entry, session: Session): WholeReply {
  const holder = entry.holders.first;
  const introduction = holder?.party.introduction;
  return {
    status: 423,
    body: {
      error: "File is locked",
      message: whyLocked(entry),
      lockedBy: holder === null ? null : publicName(holder.party),
      lockedAt: holder?.since ?? null,
      expiresAt: holder === null ? null : expiresAt(holder),
      fence: holder?.fence ?? null,
      owner: introduction?.owner.id ?? null,
      note: introduction?.note ?? null,
      metadata: introduction?.owner.metadata ?? {},
      position: positionOf(entry, session),
      waiting: entry.waiters.size,
      ...(entry.freeze === null ? {} : { frozen: entry.freeze }),
      ...(session.waits?.get(entry.key)?.claim.newest ? { line: "newest" } : {}),
      ...heededIn(exchange),
      ...freezesOfSlots(entry),
    },
  };
}

function freezesOfSlots(entry: Entry): object {
  return entry.frozenSlots.size === 0 ? {} : { frozenSlots: frozenSlotsOf(entry) };
}

function whyLocked({ freeze, frozenSlots, holders, awaited }: Entry): string {
  if (freeze === null && holders.size === 0 && awaited > 0) {
    return "The server was restarted, and claims that waited before come first";
  }
  if (freeze === null && holders.size === 0) {
    return frozenSlots.size > 0 ? "Slots of this key are frozen" : "Other claims come first";
  }
  if (freeze === null) return "This file is currently being edited by another session";
  const end = freeze.until === null ? "" : ` until ${freeze.until}`;
  return `The key was frozen by ${freeze.by}${end}: ${freeze.reason}`;
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
      ...(entry === undefined || entry.freeze === null ? {} : { frozen: entry.freeze }),
      ...(entry === undefined ? {} : freezesOfSlots(entry)),
      ...(entry == null || entry.resources === null ? {} : { resources: entry.resources }),
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
  for (const claim of entry.waiters.inOrder) {
    if (session.owns(claim)) return position;
    position += 1;
  }
  return null;
}

/** Makes the 404 of a session that does not hold the lock; `broken`: how it was taken from it. */
export function notHeld(
  { rawPath }: Exchange,
  done: string,
  broken: (Breaking & { readonly fence: number }) | null,
): WholeReply {
  if (broken === null) {
    return problem(
      404,
      "Lock not found",
      `This session does not hold ${rawPath}, so nothing was ${done}: it may have expired, or belong to another session.`,
    );
  }
  const message = `This session does not hold ${rawPath}, so nothing was ${done}: ${brokenWords(broken)}.`;
  return { status: 404, body: { error: "Lock broken", message, ...broken } };
}
