import { LockError } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { readHolds } from "../../lock/history.ts";
import { checkOnly } from "../../lock/request.ts";
import type { Freeze, Holder, KeyStatus } from "../../lock/status.ts";
import type {
  BreakOptions,
  FreezeOptions,
  OneSlot,
  RunRelease,
  ThawOptions,
} from "../../lock/store.ts";
import { quote } from "../../lock/text.ts";
import { LOOK_MS } from "../remote/claim.ts";
import { cleanIn, freezeIn, listIn, textIn } from "../remote/fields.ts";
import { keyOf, pathOf } from "./address.ts";
import type { Answer } from "./answer.ts";
import {
  ANSWER_MS,
  KEY_BYTES_LIMIT,
  LIST_BYTES_LIMIT,
  type LockServer,
  type Question,
} from "./client.ts";
import { notKnown } from "./foreign.ts";
import { type Session, visit } from "./session.ts";
import { holderOf, isKeyFields, pictureIn, statusOf } from "./status.ts";

export interface Place {
  readonly server: LockServer;
  readonly store: string;
}

/** Who holds a key and who waits: from `/admin` or, if the server has none, from `?lock=status`. */
export async function inspectKey(
  { server, store }: Place,
  key: string,
  serverKey: string,
  patience = LOOK_MS,
): Promise<KeyStatus> {
  const answer = await askAdmin(server, `/locks${pathOf(serverKey)}`, {
    patience,
    bytesLimit: KEY_BYTES_LIMIT,
  });
  if (answer.status === 200 && isKeyFields(answer.body)) {
    return statusOf(pictureIn(answer.body), store, key);
  }
  if (!isMissing(answer)) throw server.refusal(answer);
  const fields = await visit(server, { patience }, async (session) => {
    const looked = await session.lock("status", serverKey, { patience });
    if (looked.status !== 200 || looked.body === null) throw server.refusal(looked);
    return looked.body;
  });
  return statusOf(pictureIn(fields), store, key);
}

export async function listKeys({ server, store }: Place, all: boolean): Promise<KeyStatus[]> {
  const answer = await askAdmin(server, `/locks${all ? "?all=1" : ""}`, {
    patience: LOOK_MS,
    bytesLimit: LIST_BYTES_LIMIT,
  });
  const locks = answer.status === 200 ? listIn(answer.body, "locks") : null;
  if (locks === null) {
    if (!isMissing(answer)) throw server.refusal(answer);
    throw new LockError(
      "NOT_SUPPORTED",
      `The lock server ${server.address.shown} cannot list its keys (it has no /admin): ask for one key with holdfast status KEY.`,
    );
  }
  return locks.flatMap((fields) => {
    const key = keyOf(server.address.base, textIn(fields, "key") ?? "");
    return key === null ? [] : statusOf(pictureIn(fields), store, key);
  });
}

/** Takes a key from its holders; null if the server has no word for that. */
export async function breakKey(
  server: LockServer,
  serverKey: string,
  { reason, slot, owner }: BreakOptions,
): Promise<Holder[] | null> {
  const query = new URLSearchParams({ reason, owner });
  if (slot !== undefined) query.set("slot", String(slot));
  const path = `/locks${pathOf(serverKey)}?${query}`;
  const answer = await askAdmin(server, path, { method: "DELETE", once: true });
  const broken = answer.status === 200 ? listIn(answer.body, "broken") : null;
  if (broken !== null) return broken.map(holderOf);
  if (answer.status === 400) {
    const why = textIn(answer.body, "message") ?? "the server does not take it";
    throw new LockError("BAD_REASON", `The reason ${quote(reason)} was refused: ${why}`);
  }
  if (isMissing(answer)) return null;
  throw server.refusal(answer);
}

/** The holds of a key that are over, newest first. */
export async function historyOf(
  server: LockServer,
  serverKey: string,
  limit: number,
): Promise<Hold[]> {
  const answer = await askAdmin(server, `/history${pathOf(serverKey)}?limit=${limit}`, {
    patience: LOOK_MS,
  });
  if (answer.status === 200 && Array.isArray(answer.body?.holds)) {
    return readHolds(answer.body.holds, limit);
  }
  if (!isMissing(answer)) throw server.refusal(answer);
  throw new LockError(
    "NOT_SUPPORTED",
    `The lock server ${server.address.shown} keeps no history (it has no /admin).`,
  );
}

/** Whether the session of that id holds the key. It asks as that session, which needs no other right. */
export async function isHeldBy(
  server: LockServer,
  session: Session,
  serverKey: string,
  fence: number | null,
): Promise<boolean> {
  const answer = await session.lock("status", serverKey);
  if (answer.status === 401 && answer.body?.error !== undefined) return false;
  if (answer.status !== 200 || answer.body === null) throw server.refusal(answer);
  const { isOwn, holders } = pictureIn(answer.body);
  return isOwn && (fence === null || holders.some((holder) => holder.fence === fence));
}

/** Freezes a key, or one of its slots. Throws NOT_SUPPORTED if the server has no word for that. */
export async function freezeKey(
  server: LockServer,
  serverKey: string,
  { reason, owner, duration, ...only }: FreezeOptions,
): Promise<Freeze> {
  const query = new URLSearchParams({
    reason,
    owner,
    ...(await slotQuery(server, serverKey, only)),
  });
  if (duration !== null) query.set("for", String(Math.max(1, Math.round(duration))));
  const answer = await askAdmin(server, `/freezes${pathOf(serverKey)}?${query}`, { method: "PUT" });
  const frozen = answer.status === 200 ? freezeIn(answer.body) : null;
  if (frozen !== null) return frozen;
  refuseSlot(answer);
  if (answer.status === 400) {
    const why = textIn(answer.body, "message") ?? "the server does not take it";
    throw new LockError("BAD_REASON", `The freeze ${quote(reason)} was refused: ${why}`);
  }
  throw isMissing(answer) ? cannotFreeze(server) : server.refusal(answer);
}

/** Ends a freeze; null where the key was not frozen. */
export async function thawKey(
  server: LockServer,
  serverKey: string,
  { owner, ...only }: ThawOptions,
): Promise<Freeze | null> {
  const query = new URLSearchParams({ owner, ...(await slotQuery(server, serverKey, only)) });
  const path = `/freezes${pathOf(serverKey)}?${query}`;
  const answer = await askAdmin(server, path, { method: "DELETE", once: true });
  if (answer.status === 200 && answer.body !== null && "thawed" in answer.body) {
    return freezeIn({ frozen: answer.body.thawed });
  }
  refuseSlot(answer);
  throw isMissing(answer) ? cannotFreeze(server) : server.refusal(answer);
}

/**
 * Names the one slot that is meant. A server that does not know such freezes would freeze the whole key: so it
 * is asked first whether it tells of them.
 */
async function slotQuery(
  server: LockServer,
  serverKey: string,
  only: OneSlot,
): Promise<Record<string, string>> {
  const { slot, resource } = checkOnly(only);
  if (slot === undefined && resource === undefined) return {};
  const answer = await askAdmin(server, `/locks${pathOf(serverKey)}`, {
    bytesLimit: KEY_BYTES_LIMIT,
  });
  if (isMissing(answer)) throw cannotFreeze(server);
  if (answer.status !== 200) throw server.refusal(answer);
  if (!Array.isArray(answer.body?.frozenSlots))
    throw notKnown(server.address.shown, "no word for the freeze of one slot");
  return slot === undefined ? { resource: resource as string } : { slot: String(slot) };
}

function refuseSlot({ status, body }: Answer): void {
  if (status === 400 && body?.error === "No such slot")
    throw new LockError("BAD_SLOTS", cleanIn(body, "message") ?? "The key has no such slot.");
}

function cannotFreeze({ address }: LockServer): LockError {
  return notKnown(address.shown, "no word for a freeze");
}

/** Releases what a run holds, whichever of its jobs claimed it. */
export async function releaseRun(
  server: LockServer,
  serverKey: string,
  run: string,
): Promise<RunRelease> {
  const manner = { patience: ANSWER_MS };
  const answer = await visit(server, manner, (session) =>
    session.lock("release", serverKey, manner, { run }),
  );
  const { status, body } = answer;
  if (status === 200 && body?.fence !== undefined) return "released";
  if (status === 404 && body !== null && "heldBy" in body) {
    const heldBy = cleanIn(body, "heldBy");
    return heldBy === null ? "already-gone" : { heldBy };
  }
  if (status === 200 || status === 404) throw notKnown(server.address.shown, "no locks of runs");
  throw server.refusal(answer);
}

/**
 * Whether the answer is that of a server without `/admin`, or one that hides it, or to which it is a file like
 * any other.
 */
function isMissing({ status, body }: Answer): boolean {
  const isForbidden =
    status === 403 && (body?.error === "Read-only" || body?.error === "Refused by the policy");
  if (status === 401 || status === 429 || status >= 500 || isForbidden) return false;
  return status >= 400 || (status === 200 && !isKeyFields(body));
}

/** Asks with the server's secret. A job that has none asks as the session that its ID token has opened. */
function askAdmin(
  server: LockServer,
  path: string,
  more: Pick<Question, "method" | "patience" | "once" | "bytesLimit"> = {},
): Promise<Answer> {
  const { secret, askIdToken } = server;
  const question = { path: `/admin${path}`, ...more };
  if (askIdToken === null) return server.ask({ bearer: secret, ...question });
  const { patience = ANSWER_MS } = more;
  return visit(server, { patience }, (session) => session.ask(question));
}
