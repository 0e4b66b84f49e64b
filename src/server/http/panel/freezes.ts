import { DURATION_LIMIT_MS } from "../../../lock/duration.ts";
import { messageOf } from "../../../lock/errors.ts";
import { NOTE_BYTES_LIMIT, OWNER_BYTES_LIMIT } from "../../../lock/owner.ts";
import { checkOnly, SLOTS_LIMIT, slotMeant } from "../../../lock/request.ts";
import type { Freeze } from "../../../lock/status.ts";
import { hasControl } from "../../../lock/text.ts";
import { wireKeyOf } from "../../observers/describe.ts";
import type { Storage } from "../../storage/types.ts";
import type { Entry } from "../../table/claim.ts";
import type { LockTable } from "../../table/table.ts";
import { badRequest, type Exchange, Problem, type Reply, wrongMethod } from "../exchange.ts";
import { settle } from "../settle.ts";
import { numberOf, textOf } from "./questions.ts";

export interface FreezeSource {
  readonly table: LockTable;
  readonly storage: Pick<Storage, "settled" | "trouble">;
  /** Wall clock, milliseconds. */
  now(): number;
}

const FRESH = { "cache-control": "no-store" };

/** As long as a path can be. */
const KEY_LIMIT = 4_096;

/** Who freezes or thaws, where nobody said. */
const NAMELESS = "operator";

/** Answers `/admin/freezes/KEY`: PUT freezes the key, DELETE thaws it. */
export function serveFreeze(
  exchange: Exchange,
  source: FreezeSource,
  key: string | null,
): Reply | Promise<Reply> {
  const { method } = exchange;
  if (method !== "PUT" && method !== "DELETE") throw wrongMethod(exchange, "PUT, DELETE");
  if (key === null) throw badRequest("Freeze which key? Name one: PUT /admin/freezes/KEY.");
  if (key.length > KEY_LIMIT || hasControl(key)) {
    throw badRequest(`The key is no text of at most ${KEY_LIMIT} characters on one line.`);
  }
  const { table } = source;
  const wireKey = wireKeyOf(table, key);
  const said = textOf(exchange, "owner", OWNER_BYTES_LIMIT);
  const by = exchange.rights?.owner ?? said ?? NAMELESS;
  const only = slotIn(exchange, key, table.current(wireKey));
  if (method === "DELETE") {
    const thawed = table.thaw(wireKey, by, only);
    return settle(source, { status: 200, headers: FRESH, body: { key, thawed } });
  }
  const frozen = readFreeze(exchange, by, source.now());
  table.freeze(wireKey, frozen, only);
  const shown = only === null ? frozen : { ...frozen, slot: only };
  return settle(source, { status: 200, headers: FRESH, body: { key, frozen: shown } });
}

/** The slot that is meant alone; null: the whole key. Of a key that nobody uses any slot may be meant. */
function slotIn(exchange: Exchange, key: string, entry: Entry | undefined): number | null {
  const slot = numberOf(exchange, "slot", 0, Number.MAX_SAFE_INTEGER);
  const resource = exchange.query.get("resource");
  const only = { ...(slot === null ? {} : { slot }), ...(resource === null ? {} : { resource }) };
  const isNumbered = slot !== null && entry?.isUsed !== true;
  const slots = isNumbered ? SLOTS_LIMIT : (entry?.limit ?? 1);
  try {
    return slotMeant(key, checkOnly(only), {
      slots,
      resources: entry?.resources ?? null,
    });
  } catch (error) {
    throw new Problem(400, "No such slot", messageOf(error));
  }
}

function readFreeze(exchange: Exchange, by: string, now: number): Freeze {
  const reason = textOf(exchange, "reason", NOTE_BYTES_LIMIT);
  if (reason === null) {
    throw badRequest("A key is frozen only for a reason: add ?reason=TEXT, for those who wait.");
  }
  // In milliseconds: clients send what their users typed, and `500ms` is a duration.
  const duration = numberOf(exchange, "for", 1, DURATION_LIMIT_MS);
  const until = duration === null ? null : new Date(now + duration).toISOString();
  return { by, reason, since: new Date(now).toISOString(), until };
}
