import { DURATION_LIMIT_MS } from "../../../lock/duration.ts";
import { NOTE_BYTES_LIMIT, OWNER_BYTES_LIMIT } from "../../../lock/owner.ts";
import type { OneSlot } from "../../../lock/store.ts";
import { hasControl } from "../../../lock/text.ts";
import {
  badRequest,
  type Exchange,
  type Reply,
  type WholeReply,
  wrongMethod,
} from "../exchange.ts";
import type { Locks } from "./locks.ts";
import { numberOf, textOf } from "./questions.ts";

export interface FreezeSource {
  readonly locks: Locks;
  /** Holds a reply back until what it tells is safe. */
  settle(reply: WholeReply): Reply | Promise<Reply>;
}

const FRESH = { "cache-control": "no-store" };

/** As long as a path can be. */
const KEY_LIMIT = 4_096;

/** Answers `/admin/freezes/KEY`: PUT freezes the key, DELETE thaws it. */
export async function serveFreeze(
  exchange: Exchange,
  { locks, settle }: FreezeSource,
  key: string | null,
): Promise<Reply> {
  const { method } = exchange;
  if (method !== "PUT" && method !== "DELETE") throw wrongMethod(exchange, "PUT, DELETE");
  if (key === null) throw badRequest("Freeze which key? Name one: PUT /admin/freezes/KEY.");
  if (key.length > KEY_LIMIT || hasControl(key)) {
    throw badRequest(`The key is no text of at most ${KEY_LIMIT} characters on one line.`);
  }
  const by = exchange.rights?.owner ?? textOf(exchange, "owner", OWNER_BYTES_LIMIT);
  const only = slotIn(exchange);
  if (method === "DELETE") {
    const thawed = await locks.thaw(key, only, { by });
    return settle({ status: 200, headers: FRESH, body: { key, thawed } });
  }
  const frozen = await locks.freeze(key, only, { by, ...readFreeze(exchange) });
  return settle({ status: 200, headers: FRESH, body: { key, frozen } });
}

/** The one slot that is named, by its number or its name. */
function slotIn(exchange: Exchange): OneSlot {
  const slot = numberOf(exchange, "slot", 0, Number.MAX_SAFE_INTEGER);
  const resource = exchange.query.get("resource");
  return { ...(slot === null ? {} : { slot }), ...(resource === null ? {} : { resource }) };
}

function readFreeze(exchange: Exchange) {
  const reason = textOf(exchange, "reason", NOTE_BYTES_LIMIT);
  if (reason === null) {
    throw badRequest("A key is frozen only for a reason: add ?reason=TEXT, for those who wait.");
  }
  // In milliseconds: clients send what their users typed, and `500ms` is a duration.
  const duration = numberOf(exchange, "for", 1, DURATION_LIMIT_MS);
  return { reason, duration };
}
