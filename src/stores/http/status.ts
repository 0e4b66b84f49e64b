import { readMetadata } from "../../lock/owner.ts";
import { SLOTS_LIMIT } from "../../lock/resources.ts";
import type { Freeze, Holder, KeyStatus, SlotFreeze, Waiter } from "../../lock/status.ts";
import { sha256 } from "../../lock/text.ts";
import {
  amountIn,
  asFields,
  cleanIn,
  countIn,
  type Fields,
  freezeIn,
  listIn,
  namesIn,
  rankIn,
  runIn,
  slotFreezesIn,
  slotsIn,
  textIn,
  timeIn,
} from "../remote/fields.ts";

/** One key as its server tells it, in whatever words. */
export interface Picture {
  readonly slots: number;
  readonly resources: readonly string[] | null;
  readonly holders: readonly Holder[];
  readonly waiting: number;
  readonly waiters: readonly Waiter[];
  /** The asking session's own place in line; null: it has none. Undefined: the server has no line. */
  readonly position: number | null | undefined;
  /** The asking session holds it. */
  readonly isOwn: boolean;
  readonly frozen: Freeze | null;
  readonly frozenSlots: readonly SlotFreeze[];
}

/** The answer to `?lock=status`, a 423, or a key from `/admin`. */
export function pictureIn(fields: Fields): Picture {
  const known = listIn(fields, "holders");
  const lone = textIn(fields, "lockedBy") === null ? asFields(fields.lock) : fields;
  const holders = known?.map(holderOf) ?? (lone === null ? [] : [lockOf(lone)]);
  return {
    slots: Math.min(SLOTS_LIMIT, Math.max(1, countIn(fields, "slots") ?? 1)),
    resources: namesIn(fields, "resources"),
    holders: holders.sort((one, other) => one.slot - other.slot),
    waiting: countIn(fields, "waiting") ?? 0,
    waiters: listIn(fields, "waiters")?.map(waiterOf) ?? [],
    position: "position" in fields ? countIn(fields, "position") || null : undefined,
    isOwn: fields.ownedByThisSession === true,
    frozen: freezeIn(fields),
    frozenSlots: slotFreezesIn(fields),
  };
}

/** Whether it is a key as `/admin` tells it, and not a file or something else under that path. */
export function isKeyFields(fields: Fields | null): fields is Fields {
  return textIn(fields, "key") !== null && Array.isArray(fields?.holders);
}

export function statusOf(picture: Picture, store: string, key: string): KeyStatus {
  const { position: _position, isOwn: _isOwn, ...seen } = picture;
  return { key, store, ...seen };
}

/** `ttl` is the session's life: the lock outlives the last word from its holder by that. */
export function holderOf(fields: Fields): Holder {
  const { alive } = fields;
  const slots = slotsIn(fields, "slots");
  return {
    owner: nameIn(fields, "owner"),
    since: timeIn(fields, "since"),
    ttl: amountIn(fields, "ttl"),
    fence: countIn(fields, "fence"),
    slot: slots[0] ?? 0,
    weight: slots.length,
    slots,
    resources: namesIn(fields, "resources"),
    pid: countIn(fields, "pid"),
    host: cleanIn(fields, "host"),
    alive: typeof alive === "boolean" ? alive : null,
    reclaimable: null,
    note: cleanIn(fields, "note"),
    metadata: readMetadata(fields.metadata),
    heartbeat: timeIn(fields, "heartbeat"),
    ...runIn(fields),
  };
}

/** A lock as the specification has it: who, since when, until when. */
function lockOf(fields: Fields): Holder {
  return {
    ...holderOf(fields),
    owner:
      fields.owner === undefined ? publicName(nameIn(fields, "lockedBy")) : nameIn(fields, "owner"),
    since: timeIn(fields, "lockedAt"),
    alive: null,
  };
}

/** Some servers name the holder by its session's id, which opens the lock: it is not shown. */
function publicName(lockedBy: string): string {
  return /^[0-9a-f]{32,}$/i.test(lockedBy) ? `session-${sha256(lockedBy).slice(0, 8)}` : lockedBy;
}

function waiterOf(fields: Fields, index: number): Waiter {
  return {
    owner: nameIn(fields, "owner"),
    since: timeIn(fields, "since") ?? new Date().toISOString(),
    position: countIn(fields, "position") || index + 1,
    ...rankIn(fields),
    alive: true,
    note: cleanIn(fields, "note"),
    metadata: readMetadata(fields.metadata),
  };
}

function nameIn(fields: Fields, name: string): string {
  return cleanIn(fields, name) ?? "unknown";
}
