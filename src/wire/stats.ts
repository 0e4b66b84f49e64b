import type { Hold } from "../lock/history.ts";
import type { Metadata } from "../lock/owner.ts";
import type { Freeze, SlotFreeze } from "../lock/status.ts";
import { jsonObject } from "../lock/text.ts";
import { INTRODUCTION_MARK } from "./introduction.ts";
import { type Request, statsRequest } from "./request.ts";

/** The reply to `stats`. Only our server sends the optional fields; the others are dflockd's. */
export interface Stats {
  readonly connections: number;
  readonly locks: readonly LockStats[];
  readonly semaphores: readonly SemaphoreStats[];
  readonly idle_locks: readonly IdleStats[];
  readonly idle_semaphores: readonly IdleStats[];
  readonly server?: {
    readonly name: string;
    readonly version: string;
    /** Seconds after which a silent connection is cut off, and what it holds is freed. */
    readonly read_timeout_s?: number;
    /** In reply to an introduction: the number by which this connection stands in lines. */
    readonly conn_id?: number;
  };
  /** How many keys were left out to keep the reply below its limit. */
  readonly left_out?: number;
}

export interface LockStats extends KeyDetails {
  readonly key: string;
  readonly owner_conn_id: number;
  readonly lease_expires_in_s: number;
  readonly waiters: number;
}

export interface SemaphoreStats extends KeyDetails {
  readonly key: string;
  readonly limit: number;
  readonly holders: number;
  readonly waiters: number;
}

export interface IdleStats {
  readonly key: string;
  readonly idle_s: number;
  readonly holds?: readonly Hold[];
}

interface KeyDetails {
  /** Its holders, in the order of the grants. */
  readonly leases?: readonly LeaseStats[];
  /** Its waiters, in order; of a long line only the first. */
  readonly line?: readonly WaiterStats[];
  /** Holds that are over, newest first. Only in an answer about one key. */
  readonly holds?: readonly Hold[];
  /** Set while nobody gets the key. It may have no holder then, and its `owner_conn_id` is 0. */
  readonly frozen?: Freeze;
  /** Slots that are frozen by themselves. */
  readonly frozenSlots?: readonly SlotFreeze[];
  /** The names of the slots, as claims over HTTP give them. */
  readonly resources?: readonly string[];
}

export interface PartyStats {
  readonly conn_id: number;
  /** Null: the connection did not introduce itself. */
  readonly owner: string | null;
  readonly note: string | null;
  readonly metadata: Metadata;
  /** When it was granted the lock, or joined the line; ISO 8601. */
  readonly since: string;
}

/** The rest is there for a claim over HTTP that is not as those over TCP are. */
export interface WaiterStats extends PartyStats {
  readonly weight?: number;
  readonly priority?: number;
  readonly ready?: false;
}

export interface LeaseStats extends PartyStats {
  readonly fence: number;
  readonly slot: number;
  /** All of its slots, where these are several. */
  readonly slots?: readonly number[];
  /** Their names, where they have some. */
  readonly resources?: readonly string[];
  readonly lease_s: number;
  readonly lease_expires_in_s: number;
  /** Last renewal, ISO 8601. */
  readonly renewed: string;
  /** Its connection is closed, and it has not come back; the lock stays reserved for its `dead-after`. */
  readonly gone?: boolean;
  /** Set where the lock belongs to a whole run: its id, and when the hold ends at the latest. */
  readonly run?: { readonly id: string; readonly until: string };
}

export const SERVER_NAME = "holdfast";

const KEY_QUESTION = `${INTRODUCTION_MARK.trim()}?key`;
const HISTORY_QUESTION = `${INTRODUCTION_MARK.trim()}?history`;

/**
 * Asks for one key alone, with its whole line of waiters. A foreign server ignores the key and answers
 * about all keys, so the reply can be used in both cases.
 */
export function keyStatsRequest(wireKey: string): Request {
  return statsRequest(KEY_QUESTION, wireKey);
}

/** The same, with the key's past holds: these are large, and not every look needs them. */
export function keyHistoryRequest(wireKey: string): Request {
  return statsRequest(HISTORY_QUESTION, wireKey);
}

/** The key that a `stats` request asks for, or null for all. */
export function askedKey(request: Request): { key: string; history: boolean } | null {
  if (request.command !== "stats") return null;
  const history = request.key === HISTORY_QUESTION;
  return history || request.key === KEY_QUESTION ? { key: request.token, history } : null;
}

/** Parses a reply; null where the text is none. What a list holds beyond the known fields is kept. */
export function parseStats(json: string): Stats | null {
  const stats = jsonObject(json);
  if (stats === null) return null;
  const locks = readList(stats.locks);
  const semaphores = readList(stats.semaphores);
  if (typeof stats.connections !== "number" || locks === null || semaphores === null) return null;
  return {
    ...(stats as unknown as Stats),
    locks: locks as unknown as LockStats[],
    semaphores: semaphores as unknown as SemaphoreStats[],
    idle_locks: (readList(stats.idle_locks) ?? []) as unknown as IdleStats[],
    idle_semaphores: (readList(stats.idle_semaphores) ?? []) as unknown as IdleStats[],
  };
}

/** Reads a list. Go writes an empty one as `null`; elements without a key are left out. */
function readList(value: unknown): { key: string }[] | null {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return null;
  return value.filter((element) => typeof element?.key === "string");
}

/** Whether tokens of this server carry a fence. */
export function isHoldfast(stats: Stats): boolean {
  return stats.server?.name === SERVER_NAME;
}
