import type { Hold, Statistics } from "../../lock/history.ts";
import { whoIs } from "../../lock/people/who.ts";
import { nameFreeze, resourcesOf } from "../../lock/resources.ts";
import {
  type Freeze,
  type Holder,
  type KeyStatus,
  type PastFreeze,
  PLAIN_KEY,
  type SlotFreeze,
  type Waiter,
} from "../../lock/status.ts";
import { decodeWireKey, encodeWireKey } from "../../wire/key.ts";
import type { Claim, DoorName, Entry, Party } from "../table/claim.ts";
import { publicName } from "../table/names.ts";
import type { LockTable } from "../table/table.ts";

/** How many waiters of a long line are shown; `waiting` always says how many there are. */
export const WAITERS_SHOWN = 20;

export interface HolderJson extends Omit<Holder, "reclaimable"> {
  /** Who that is, as people know it. */
  readonly who: string;
  /** Wall clock, milliseconds. This and the door: of this server's own locks. */
  readonly expiresAt?: number;
  readonly door?: DoorName;
}

export interface WaiterJson extends Omit<Waiter, "alive"> {
  readonly who: string;
  /** Its client is between two requests, or not back after a restart: its place is kept. */
  readonly absent?: true;
}

export interface KeyJson {
  readonly key: string;
  readonly slots: number;
  /** The names of the slots; null where they have none. */
  readonly resources: readonly string[] | null;
  readonly holders: readonly HolderJson[];
  readonly waiting: number;
  readonly waiters: readonly WaiterJson[];
  /** Set while the key is frozen. */
  readonly frozen?: Freeze;
  /** Slots that are frozen by themselves. */
  readonly frozenSlots: readonly SlotFreeze[];
  /** How long its released holds took, where enough of them are known. Milliseconds. */
  readonly usual?: Statistics;
  /** Why the key cannot be read, where that is so. */
  readonly error?: KeyStatus["error"];
}

/** A hold that is over, and who held it. */
export interface HoldJson extends Hold {
  readonly who: string;
}

/** A key that nobody holds, and its last hold. */
export interface RecentJson {
  readonly key: string;
  readonly last: HoldJson;
}

/** A key and its holds within a time, the newest first. */
export interface TimelineJson {
  readonly key: string;
  readonly holds: readonly HoldJson[];
  /** Those that are over. */
  readonly freezes: readonly PastFreeze[];
}

/** What is asked of the history with every look at a key. */
export interface Past {
  usualOf(key: string): Statistics | null;
}

/** Describes a holder, never with the token or a session's id: a reader may see locks, not release them. */
export function describeHolder(claim: Claim): HolderJson {
  const { party } = claim;
  const metadata = party.introduction?.owner.metadata ?? {};
  const { process_id, hostname } = metadata;
  const owner = ownerOf(party);
  return {
    owner,
    who: whoIs({ owner, metadata }),
    since: new Date(claim.since).toISOString(),
    ttl: Math.min(claim.lease, party.patience) / 1_000,
    fence: claim.fence,
    slot: claim.slot,
    weight: claim.weight,
    slots: claim.slots,
    resources: resourcesOf(claim.entry.resources, claim.slots),
    pid: typeof process_id === "number" ? process_id : null,
    host: typeof hostname === "string" ? hostname : null,
    alive: party.gone ? null : true,
    note: party.introduction?.note ?? null,
    metadata,
    heartbeat: new Date(claim.renewed).toISOString(),
    expiresAt: Math.round(claim.renewed + claim.lease),
    door: party.door,
    ...(claim.run === null ? {} : { run: { id: claim.run, until: claim.bound } }),
  };
}

function describeWaiter(claim: Claim, position: number): WaiterJson {
  const { party } = claim;
  const metadata = party.introduction?.owner.metadata ?? {};
  const owner = ownerOf(party);
  return {
    owner,
    who: whoIs({ owner, metadata }),
    since: new Date(claim.since).toISOString(),
    position,
    weight: claim.weight,
    priority: claim.priority,
    ready: claim.declared,
    note: party.introduction?.note ?? null,
    metadata,
    ...(claim.absent ? { absent: true } : {}),
  };
}

export function describeHold(hold: Hold): HoldJson {
  return { ...hold, who: whoIs(hold) };
}

export function describeEntry(entry: Entry, past: Past, waitersShown = WAITERS_SHOWN): KeyJson {
  const { key, limit, resources, holders, waiters, freeze } = entry;
  const usual = past.usualOf(key);
  return {
    key: shownKey(key),
    slots: limit,
    resources,
    holders: Array.from(holders, describeHolder),
    waiting: waiters.size,
    waiters: describeLine(entry, waitersShown),
    ...(freeze === null ? {} : { frozen: freeze }),
    frozenSlots: frozenSlotsOf(entry),
    ...(usual === null ? {} : { usual }),
  };
}

export function describeLine({ waiters }: Entry, shown = WAITERS_SHOWN): WaiterJson[] {
  const line: WaiterJson[] = [];
  for (const claim of waiters.inOrder) {
    if (line.length >= shown) break;
    line.push(describeWaiter(claim, line.length + 1));
  }
  return line;
}

/** The slots that are frozen by themselves, the lowest first. */
export function frozenSlotsOf({ frozenSlots, resources }: Entry): SlotFreeze[] {
  const slots = [...frozenSlots.values()].map((freeze) => nameFreeze(freeze, resources));
  return slots.sort((one, other) => one.slot - other.slot);
}

/** Describes a free key; `slots` is then only what its last holders agreed on. */
export function describeFree(key: string, slots = 1): KeyJson {
  const shown = shownKey(key);
  return { key: shown, slots, ...PLAIN_KEY, holders: [], waiting: 0, waiters: [] };
}

/** The owner of a party, for people; a nameless one is called by its connection or session. */
export function ownerOf(party: Party): string {
  return party.introduction?.owner.id ?? publicName(party);
}

/**
 * A key for people. It is decoded only where it leads back to the same lock: other clients send keys
 * that merely look encoded, and a break of `a%2Fb` must not hit `a/b`.
 */
export function shownKey(wireKey: string): string {
  const text = decodeWireKey(wireKey);
  return text === wireKey || encodeWireKey(text) === wireKey ? text : wireKey;
}

/** The key on the wire for what was typed, which may also be a key that is shown as it came. */
export function wireKeyOf(table: LockTable, text: string): string {
  const wireKey = encodeWireKey(text);
  return table.find(wireKey) === undefined && table.find(text) !== undefined ? text : wireKey;
}
