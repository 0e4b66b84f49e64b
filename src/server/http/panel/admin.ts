import type { Hold } from "../../../lock/history.ts";
import { NOTE_BYTES_LIMIT, OWNER_BYTES_LIMIT } from "../../../lock/owner.ts";
import type { PastFreeze } from "../../../lock/status.ts";
import { SERVER_NAME } from "../../../wire/stats.ts";
import type { Right } from "../../identity/policy.ts";
import type { Logger } from "../../log.ts";
import { HOLDS_OF_KEY } from "../../memory/history.ts";
import {
  describeEntry,
  describeFree,
  describeHold,
  describeHolder,
  type KeyJson,
  type Past,
  type RecentJson,
  shownKey,
  type TimelineJson,
  wireKeyOf,
} from "../../observers/describe.ts";
import type { Events } from "../../observers/events.ts";
import { Listing } from "../../observers/listing.ts";
import type { Entry } from "../../table/claim.ts";
import {
  allowReading,
  badRequest,
  type Exchange,
  type Handler,
  Problem,
  problem,
  type Reply,
  refuseJobs,
  wrongMethod,
} from "../exchange.ts";
import { type FreezeSource, serveFreeze } from "./freezes.ts";
import { keyOf, numberOf, textOf } from "./questions.ts";

const LOCKS_SHOWN = 10_000;
const LOCKS_LENGTH = 16 * 2 ** 20;
/** How many waiters are shown where one key is asked for. */
const LINE_SHOWN = 1_000;
const HISTORY_DEFAULT = 50;
const RECENT_DEFAULT = 20;
const RECENT_LIMIT = 100;
const TIMELINE_DEFAULT = 24 * 60;
const TIMELINE_MINUTES = 31 * 24 * 60;
const TIMELINE_KEYS = 50;
const TIMELINE_HOLDS = 2_000;
const FREEZES_OF_KEY = 20;

export interface AdminSource extends FreezeSource {
  readonly log: Logger;
  readonly version: string;
  /** Wall clock, milliseconds. */
  readonly startedAt: number;
  readonly events: Events;
  /** Newest first. */
  readonly history: Past & {
    of(key: string, limit: number): readonly Hold[];
    freezesOf(key: string, limit: number): readonly PastFreeze[];
    recent(): Iterable<{ readonly key: string; readonly last: Hold }>;
  };
}

/** Answers are private to the operator and change by the second: no cache may keep them. */
const FRESH = { "cache-control": "no-store" };

/** What there is under `/admin/`: of the whole server, and of one key. */
export const ADMIN_AREAS = {
  keyless: ["events", "recent", "timeline"],
  keyed: ["locks", "freezes", "history"],
} as const;

const AREA = new RegExp(
  `^admin/((?:${ADMIN_AREAS.keyless.join("|")})$|(?:${ADMIN_AREAS.keyed.join("|")})(?:/|$))`,
);

/** Answers everything under `/admin/`. */
export function createAdmin(source: AdminSource): Handler {
  return (exchange) => {
    const area = AREA.exec(exchange.path)?.[1];
    if (area === undefined) return unknownPath(exchange);
    const { rights } = exchange;
    if (area === "events") {
      allowReading(exchange);
      refuseJobs(exchange);
      return exchange.method === "HEAD"
        ? { status: 200 }
        : source.events.open(source.table, exchange.mayChange);
    }
    if (area === "recent") return recent(exchange, source);
    if (area === "timeline") return timeline(exchange, source);
    const key = keyOf(exchange, area.endsWith("/") ? `admin/${area}` : null);
    if (key !== null) rights?.demand(rightFor(area, exchange.method), key);
    if (area.startsWith("history")) return history(exchange, source, key);
    if (area.startsWith("freezes")) return serveFreeze(exchange, source, key);
    if (exchange.method === "DELETE") return breakLock(exchange, source, key);
    if (exchange.method !== "GET" && exchange.method !== "HEAD") {
      throw wrongMethod(exchange, key === null ? "GET, HEAD" : "GET, HEAD, DELETE");
    }
    if (key !== null) return { status: 200, headers: FRESH, body: one(source, key) };
    const headers = { ...FRESH, "content-type": "application/json; charset=utf-8" };
    return { status: 200, headers, body: list(exchange, source) };
  };
}

/** What a job must be allowed to do for this request. */
function rightFor(area: string, method: string): Right {
  if (method === "GET" || method === "HEAD") return "look";
  return area.startsWith("freezes") ? "freeze" : "break";
}

function unknownPath(exchange: Exchange): Reply {
  return problem(
    404,
    "Not found",
    `There is nothing at ${exchange.rawPath}: use /admin/locks, /admin/recent, /admin/timeline, /admin/history/KEY, /admin/freezes/KEY or /admin/events.`,
  );
}

/** Tells which keys were held last and are free now: they would else vanish with their history. */
function recent(exchange: Exchange, { table, history }: AdminSource): Reply {
  allowReading(exchange);
  const limit = numberOf(exchange, "limit", 1, RECENT_LIMIT) ?? RECENT_DEFAULT;
  const keys: RecentJson[] = [];
  for (const { key, last } of history.recent()) {
    if (keys.length === limit) break;
    const isSeen = exchange.rights?.sees(shownKey(key)) !== false;
    if (isSeen && table.find(key)?.idle !== false)
      keys.push({ key: shownKey(key), last: describeHold(last) });
  }
  return { status: 200, headers: FRESH, body: { keys } };
}

/** Tells the holds of the keys that were held last, from a moment on: a picture of all of them. */
function timeline(exchange: Exchange, { history, now }: AdminSource): Reply {
  allowReading(exchange);
  const minutes = numberOf(exchange, "minutes", 1, TIMELINE_MINUTES) ?? TIMELINE_DEFAULT;
  const from = now() - minutes * 60_000;
  const keys: TimelineJson[] = [];
  let room = TIMELINE_HOLDS;
  for (const { key, last } of history.recent()) {
    if (keys.length === TIMELINE_KEYS || room === 0) break;
    if (endOf(last) < from || exchange.rights?.sees(shownKey(key)) === false) continue;
    const found = history.of(key, Math.min(room, HOLDS_OF_KEY));
    const holds = found.filter((hold) => endOf(hold) >= from);
    room -= holds.length;
    const freezes = history.freezesOf(key, FREEZES_OF_KEY).filter(({ ended }) => {
      return Date.parse(ended) >= from;
    });
    keys.push({ key: shownKey(key), holds: holds.map(describeHold), freezes });
  }
  return { status: 200, headers: FRESH, body: { from: new Date(from).toISOString(), keys } };
}

function endOf({ since, held }: Hold): number {
  return Date.parse(since) + held;
}

function list({ query, mayChange, rights }: Exchange, source: AdminSource): string {
  const { table, version, startedAt, history } = source;
  const all = query.get("all");
  const locks = new Listing(LOCKS_SHOWN, LOCKS_LENGTH);
  let leftOut = 0;
  for (const entry of table.busyEntries()) {
    if (rights?.sees(shownKey(entry.key)) === false) continue;
    if (locks.isFull) leftOut += 1;
    else locks.add(describeEntry(entry, history));
  }
  for (const entry of all === null || all === "0" ? [] : table.idleEntries()) {
    if (rights?.sees(shownKey(entry.key)) === false) continue;
    if (locks.isFull) leftOut += 1;
    else locks.add(describeFree(entry.key, entry.limit));
  }
  const server = {
    name: SERVER_NAME,
    version,
    startedAt: new Date(startedAt).toISOString(),
    access: mayChange ? "full" : "read",
  };
  const rest = leftOut === 0 ? "" : `"leftOut":${leftOut},`;
  return `{"locks":${locks},${rest}"server":${JSON.stringify(server)}}`;
}

function one({ table, history }: AdminSource, key: string): KeyJson {
  const entry = table.find(wireKeyOf(table, key));
  return entry === undefined
    ? { ...describeFree(key), key }
    : describeEntry(entry, history, LINE_SHOWN);
}

function history(exchange: Exchange, { table, history }: AdminSource, key: string | null): Reply {
  allowReading(exchange);
  if (key === null) throw badRequest("The history of which key? Ask /admin/history/KEY.");
  const limit = numberOf(exchange, "limit", 1, HOLDS_OF_KEY) ?? HISTORY_DEFAULT;
  const wireKey = wireKeyOf(table, key);
  const holds = history.of(wireKey, limit).map(describeHold);
  const freezes = history.freezesOf(wireKey, limit);
  return { status: 200, headers: FRESH, body: { key, holds, freezes } };
}

function breakLock(exchange: Exchange, { table, log }: AdminSource, key: string | null): Reply {
  if (key === null) throw badRequest("Break which lock? Name one: DELETE /admin/locks/KEY.");
  const reason = textOf(exchange, "reason", NOTE_BYTES_LIMIT);
  if (reason === null) {
    throw badRequest("A lock is broken only for a reason: add ?reason=TEXT, for the log.");
  }
  const owner = exchange.rights?.owner ?? textOf(exchange, "owner", OWNER_BYTES_LIMIT);
  const wireKey = wireKeyOf(table, key);
  const slot = slotOf(exchange, table.find(wireKey));
  // Described first: what a claim's party is called may be gone when its lock is.
  const holders = new Map(
    Array.from(table.find(wireKey)?.holders ?? [], (claim) => [claim, describeHolder(claim)]),
  );
  const broken = table
    .break(wireKey, slot, { reason, by: owner })
    .map((claim) => holders.get(claim));
  log.write("warn", "break asked for", {
    key: shownKey(wireKey),
    slot,
    by: owner,
    peer: exchange.request.socket.remoteAddress,
    reason,
    broken: broken.length,
    from: broken.map((holder) => holder?.owner).join(" ") || null,
  });
  return { status: 200, headers: FRESH, body: { broken } };
}

/**
 * Finds the slot that is to be broken; null: all. `fence` names the hold that the operator saw: when
 * the lock went on to the next holder meanwhile, that one must not be broken in its place.
 */
function slotOf(exchange: Exchange, entry: Entry | undefined): number | null {
  const slot = numberOf(exchange, "slot", 0, Number.MAX_SAFE_INTEGER);
  const fence = numberOf(exchange, "fence", 0, Number.MAX_SAFE_INTEGER);
  if (fence === null) return slot;
  for (const claim of entry?.holders ?? []) {
    if (claim.fence === fence && (slot === null || claim.slots.includes(slot))) return claim.slot;
  }
  throw new Problem(
    409,
    "Not held any more",
    `The hold with fence ${fence} is over: nothing was broken. Look who holds the lock now.`,
  );
}
