import { checkMetadata, parseNote, parseOwnerId } from "../../../lock/owner.ts";
import type { Introduction } from "../../../wire/introduction.ts";
import type { Admitted } from "../../identity/identities.ts";
import { sessionName } from "../../table/names.ts";
import { admitJob, requireSecret, requireSession, SESSION_COOKIE } from "../auth.ts";
import { withBody } from "../body.ts";
import type { DoorState } from "../context.ts";
import { badRequest, type Exchange, type Reply, wrongMethod } from "../exchange.ts";
import { LATER_WORDS } from "../locks/query.ts";
import { refuseForeign } from "../origin.ts";
import { settle } from "../settle.ts";
import type { Session } from "./session.ts";
import type { NewSession } from "./sessions.ts";

const DEFAULT_TTL_SECONDS = 7 * 86_400;
const LONGEST_TTL_SECONDS = 365 * 86_400;
const BODY_LIMIT = 65_536;

const FIELDS = ["ttl", "owner", "note", "metadata"];

/** All that a session may: the protocol has finer ones, this server has not. */
const PERMISSIONS = ["read", "write"];

/** `/auth/session`: POST opens one, GET tells about it, DELETE ends it. */
export function serveSession(exchange: Exchange, state: DoorState): Reply | Promise<Reply> {
  switch (exchange.method) {
    case "POST":
      return open(exchange, state);
    case "GET":
      return { status: 200, body: describe(requireSession(exchange, state)) };
    case "DELETE":
      state.sessions.end(requireSession(exchange, state), "session deleted");
      return settle(state, { status: 204, headers: { "set-cookie": cookie("", state, 0) } });
    default:
      throw wrongMethod(exchange, "GET, POST, DELETE");
  }
}

async function open(exchange: Exchange, state: DoorState): Promise<Reply> {
  // Else a foreign page could log its reader in to a session that it knows, or use up all sessions.
  refuseForeign(exchange.request);
  const job = await admitJob(exchange, state);
  if (job === null) await requireSecret(exchange, state);
  if (exchange.rights !== null) throw badRequest("A session cannot open another one.");
  const wish = await withBody(exchange, BODY_LIMIT, state.bodies, (body) => parseWish(body, job));
  const { id, session } = state.sessions.open(wish);
  return settle(state, {
    status: 201,
    headers: { "set-cookie": cookie(id, state) },
    body: {
      sessionId: id,
      name: session.name,
      permissions: PERMISSIONS,
      expiresAt: session.expiresAt,
      knows: LATER_WORDS,
      // Its client said something else, and has to know by which name it is found.
      ...(job === null ? {} : { owner: session.introduction?.owner.id }),
    },
  });
}

function describe(session: Session): object {
  const { name, createdAt, lastUsed, expiresAt, introduction } = session;
  const owner = introduction?.owner;
  return {
    name,
    permissions: PERMISSIONS,
    createdAt,
    lastUsed,
    expiresAt,
    owner: owner === undefined || owner.id === name ? null : owner.id,
    note: introduction?.note ?? null,
    metadata: owner?.metadata ?? {},
  };
}

/** Without an age: how long the session lives, the server knows; each use makes it longer. */
function cookie(id: string, { secure }: DoorState, maxAge?: number): string {
  const age = maxAge === undefined ? "" : `; Max-Age=${maxAge}`;
  return `${SESSION_COOKIE}=${id}; Path=/; HttpOnly; SameSite=Strict${age}${secure ? "; Secure" : ""}`;
}

/** `job`: who showed an ID token. What its client says about itself then counts for little. */
function parseWish(body: Buffer, job: Admitted | null): NewSession {
  const wish = parseObject(body);
  const unknown = Object.keys(wish).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) {
    throw badRequest(
      `The field ${JSON.stringify(unknown)} of the session is not known: use ${FIELDS.join(", ")}.`,
    );
  }
  const owner = textOf(wish, "owner");
  const noteText = textOf(wish, "note");
  const id = owner === null ? null : parseOwnerId(owner);
  const note = noteText === null ? null : parseNote(noteText);
  const metadata = wish.metadata === undefined ? {} : checkMetadata(wish.metadata);
  const ttl = parseTtl(wish.ttl);
  if (job !== null) {
    const introduction = { owner: job.ownerWith(metadata), note };
    // No job lasts longer, and what it forgets must not fill the server for a year.
    const life = Math.min(ttl, DEFAULT_TTL_SECONDS * 1_000);
    return { ttl: life, identity: job.identity, introduce: () => introduction };
  }
  const nameless = id === null && note === null && wish.metadata === undefined;
  return {
    ttl,
    identity: null,
    introduce: (digest): Introduction | null =>
      nameless ? null : { owner: { id: id ?? sessionName(digest), metadata }, note },
  };
}

function parseObject(body: Buffer): Record<string, unknown> {
  if (body.length === 0) return {};
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw badRequest("The body is not JSON: send an object, or nothing.");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw badRequest("The body is not a JSON object: send an object, or nothing.");
  }
  return value as Record<string, unknown>;
}

function textOf(wish: Record<string, unknown>, field: string): string | null {
  const value = wish[field];
  if (value === undefined || value === null) return null;
  if (typeof value !== "string") throw badRequest(`The field ${field} of the session is not text.`);
  return value;
}

/** In milliseconds. */
function parseTtl(value: unknown): number {
  const seconds = value ?? DEFAULT_TTL_SECONDS;
  if (typeof seconds !== "number" || !(seconds >= 1 && seconds <= LONGEST_TTL_SECONDS)) {
    throw badRequest(
      `The ttl of the session is not a number of seconds from 1 to ${LONGEST_TTL_SECONDS}.`,
    );
  }
  return Math.round(seconds * 1_000);
}
