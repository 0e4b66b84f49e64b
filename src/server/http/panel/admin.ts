import type { Hold } from "../../../lock/history.ts";
import { NOTE_BYTES_LIMIT, OWNER_BYTES_LIMIT } from "../../../lock/owner.ts";
import { SERVER_NAME } from "../../../wire/stats.ts";
import type { Right } from "../../identity/policy.ts";
import type { Logger } from "../../log.ts";
import { HOLDS_OF_KEY } from "../../memory/history.ts";
import { describeHold, type RecentJson, type TimelineJson } from "../../observers/describe.ts";
import type { Events } from "../../observers/events.ts";
import { Listing } from "../../observers/listing.ts";
import {
  allowReading,
  badRequest,
  type Exchange,
  type Handler,
  problem,
  type Reply,
  refuseJobs,
  wrongMethod,
} from "../exchange.ts";
import { type FreezeSource, serveFreeze } from "./freezes.ts";
import { keyOf, numberOf, textOf } from "./questions.ts";

const LOCKS_SHOWN = 10_000;
const LOCKS_LENGTH = 16 * 2 ** 20;
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
  /** Wall clock, milliseconds. */
  now(): number;
  readonly events: Events;
  /** What a reader of the events has to know first; null: nothing. */
  access(mayChange: boolean): object | null;
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
  return async (exchange) => {
    const area = AREA.exec(exchange.path)?.[1];
    if (area === undefined) return unknownPath(exchange);
    const { rights, method } = exchange;
    const { locks } = source;
    if (area === "events") {
      allowReading(exchange);
      refuseJobs(exchange);
      if (method === "HEAD") return { status: 200 };
      await locks.ready();
      return source.events.open(locks, source.access(exchange.mayChange));
    }
    if (area === "recent") return recent(exchange, source);
    if (area === "timeline") return timeline(exchange, source);
    const key = keyOf(exchange, area.endsWith("/") ? `admin/${area}` : null);
    if (key !== null) rights?.demand(rightFor(area, method), key);
    if (area.startsWith("history")) return history(exchange, source, key);
    if (area.startsWith("freezes")) return serveFreeze(exchange, source, key);
    if (method === "DELETE") return breakLock(exchange, source, key);
    if (method !== "GET" && method !== "HEAD") {
      throw wrongMethod(exchange, key === null ? "GET, HEAD" : "GET, HEAD, DELETE");
    }
    if (key !== null) return { status: 200, headers: FRESH, body: await locks.look(key) };
    await locks.ready();
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
async function recent(exchange: Exchange, { locks }: AdminSource): Promise<Reply> {
  allowReading(exchange);
  const limit = numberOf(exchange, "limit", 1, RECENT_LIMIT) ?? RECENT_DEFAULT;
  const keys: RecentJson[] = [];
  for (const { key, isFree, last } of await locks.recent()) {
    if (keys.length === limit) break;
    if (isFree && exchange.rights?.sees(key) !== false)
      keys.push({ key, last: describeHold(last) });
  }
  return { status: 200, headers: FRESH, body: { keys } };
}

/** Tells the holds of the keys that were held last, from a moment on: a picture of all of them. */
async function timeline(exchange: Exchange, { locks, now }: AdminSource): Promise<Reply> {
  allowReading(exchange);
  const minutes = numberOf(exchange, "minutes", 1, TIMELINE_MINUTES) ?? TIMELINE_DEFAULT;
  const from = now() - minutes * 60_000;
  const keys: TimelineJson[] = [];
  let room = TIMELINE_HOLDS;
  for (const { key, last } of await locks.recent()) {
    if (keys.length === TIMELINE_KEYS || room === 0) break;
    if (endOf(last) < from || exchange.rights?.sees(key) === false) continue;
    const past = await locks.past(key, HOLDS_OF_KEY);
    const holds = past.holds.slice(0, room).filter((hold) => endOf(hold) >= from);
    room -= holds.length;
    const freezes = past.freezes
      .slice(0, FREEZES_OF_KEY)
      .filter(({ ended }) => Date.parse(ended) >= from);
    keys.push({ key, holds: holds.map(describeHold), freezes });
  }
  return { status: 200, headers: FRESH, body: { from: new Date(from).toISOString(), keys } };
}

function endOf({ since, held }: Hold): number {
  return Date.parse(since) + held;
}

function list({ query, mayChange, rights }: Exchange, source: AdminSource): string {
  const { locks, version, startedAt } = source;
  const all = query.get("all");
  const shown = new Listing(LOCKS_SHOWN, LOCKS_LENGTH);
  let leftOut = 0;
  for (const keys of [locks.busy(), all === null || all === "0" ? [] : locks.idle()]) {
    for (const key of keys) {
      if (rights?.sees(locks.shown(key)) === false) continue;
      if (shown.isFull) leftOut += 1;
      else shown.add(locks.describe(key));
    }
  }
  const server = {
    name: SERVER_NAME,
    version,
    startedAt: new Date(startedAt).toISOString(),
    access: mayChange ? "full" : "read",
  };
  const rest = leftOut === 0 ? "" : `"leftOut":${leftOut},`;
  return `{"locks":${shown},${rest}"server":${JSON.stringify(server)}}`;
}

async function history(
  exchange: Exchange,
  { locks }: AdminSource,
  key: string | null,
): Promise<Reply> {
  allowReading(exchange);
  if (key === null) throw badRequest("The history of which key? Ask /admin/history/KEY.");
  const limit = numberOf(exchange, "limit", 1, HOLDS_OF_KEY) ?? HISTORY_DEFAULT;
  const { holds, freezes } = await locks.past(key, limit);
  return { status: 200, headers: FRESH, body: { key, holds: holds.map(describeHold), freezes } };
}

async function breakLock(
  exchange: Exchange,
  { locks, log }: AdminSource,
  key: string | null,
): Promise<Reply> {
  if (key === null) throw badRequest("Break which lock? Name one: DELETE /admin/locks/KEY.");
  const reason = textOf(exchange, "reason", NOTE_BYTES_LIMIT);
  if (reason === null) {
    throw badRequest("A lock is broken only for a reason: add ?reason=TEXT, for the log.");
  }
  const by = exchange.rights?.owner ?? textOf(exchange, "owner", OWNER_BYTES_LIMIT);
  const slot = numberOf(exchange, "slot", 0, Number.MAX_SAFE_INTEGER);
  const fence = numberOf(exchange, "fence", 0, Number.MAX_SAFE_INTEGER);
  const broken = await locks.break(key, { reason, by, slot, fence });
  log.write("warn", "break asked for", {
    key,
    slot: slot ?? (fence === null ? null : broken[0]?.slot),
    by,
    peer: exchange.request.socket.remoteAddress,
    reason,
    broken: broken.length,
    from: broken.map(({ owner }) => owner).join(" ") || null,
  });
  return { status: 200, headers: FRESH, body: { broken } };
}
