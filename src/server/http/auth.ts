import { setTimeout as delay } from "node:timers/promises";
import type { Admitted } from "../identity/identities.ts";
import type { Right } from "../identity/policy.ts";
import { TokenRefused } from "../identity/refusal.ts";
import type { DoorState } from "./context.ts";
import { type Exchange, Problem, type Rights } from "./exchange.ts";
import { refuseForeign } from "./origin.ts";
import type { Session } from "./sessions/session.ts";

/**
 * The name that the HTTP specification of the lock API fixes, so that its other clients work here too. It
 * names no product of ours, and says nothing but that the cookie holds the id of a session.
 */
export const SESSION_COOKIE = "hengdang_session";

/** How late a wrong secret is answered: it slows down guessing. A session's id is too long to be guessed. */
const DENIED_DELAY_MS = 100;

const ASCII = /^[\u0020-\u007e]*$/;

const CHALLENGE = { "www-authenticate": 'Bearer realm="holdfast"' };

/** Finds the session that sent the request. Throws 401, and 403 where a foreign page used its cookie. */
export function requireSession(exchange: Exchange, { sessions, prove }: DoorState): Session {
  const bearer = bearerOf(exchange);
  const id = bearer ?? cookieOf(exchange.request.headers.cookie);
  if (id === null) {
    throw new Problem(
      401,
      "Unauthorized",
      "The request has no session: open one with POST /auth/session and send it as a Bearer token.",
      CHALLENGE,
    );
  }
  if (bearer === null) refuseForeign(exchange.request);
  const session = sessions.find(id);
  if (session !== null) {
    prove(exchange.request.socket);
    return session;
  }
  throw new Problem(
    401,
    "Unauthorized",
    "The session is not known, or it has ended: open one with POST /auth/session.",
    CHALLENGE,
  );
}

/** Makes the answer to a request whose session ended while it was under way. */
export function sessionEnded(): Problem {
  return new Problem(401, "Unauthorized", "The session ended meanwhile.", CHALLENGE);
}

/**
 * A job's session gives it no rights after so long: no job lasts longer, and the id of a session must
 * not be a secret that is good for ever.
 */
const RIGHTS_LAST_MS = 7 * 86_400_000;

/** What a session may do; null: everything, since it was opened with the server's token. */
export function rightsOf(session: Session, { identities, clock }: DoorState): Rights | null {
  const { identity } = session;
  if (identity === null) return null;
  const isOver = clock.now() - session.createdAt > RIGHTS_LAST_MS;
  const may = (right: Right, key: string) =>
    !isOver && identities !== null && identities.may(identity, right, key);
  const demand = (right: Right, key: string | null) => {
    if (identities === null) throw forbidden("there is no policy");
    if (isOver) throw forbidden("the session of a job is good for a week: open a new one");
    const why = identities.refuses(identity, right, key);
    if (why !== null) throw forbidden(why);
  };
  return {
    owner: session.introduction?.owner.id ?? session.name,
    demand,
    sees: (key) => may("look", key),
    knows: (key) => may("look", key) || may("claim", key),
  };
}

function forbidden(why: string): Problem {
  return new Problem(403, "Refused by the policy", `The policy of this server refuses it: ${why}.`);
}

const PASSING_RETRY_SECONDS = 5;

/** A job that shows an ID token in place of the server's secret; null: it shows none. Throws 401, 403, 503. */
export async function admitJob(
  exchange: Exchange,
  { identities, log, prove }: DoorState,
): Promise<Admitted | null> {
  const shown = bearerOf(exchange);
  if (identities === null || shown === null || !isIdToken(shown)) return null;
  const peer = exchange.request.socket.remoteAddress;
  try {
    const admitted = await identities.admit(shown);
    prove(exchange.request.socket);
    return admitted;
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    // The policy's own refusal is in the log already.
    if (error.status === 403) throw forbidden(error.told);
    log.limited("warn", "ID token refused", { peer, reason: error.message });
    const message = `The ID token is not accepted: ${error.told}.`;
    if (!error.isPassing) throw new Problem(401, "Unauthorized", message, CHALLENGE);
    throw new Problem(503, "Not known now", message, { "retry-after": PASSING_RETRY_SECONDS });
  }
}

/** The shape of a signed token: no secret of this server and no session's id has it. */
export function isIdToken(text: string): boolean {
  return /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/.test(text);
}

/**
 * Checks that the request shows the server's secret, where it has one, or the session of a job that
 * the policy lets in. To look, the secret for looking is enough. Throws 401, a little later, and 403 where only the secret for looking was shown.
 */
export function requireSecret(exchange: Exchange, state: DoorState): Promise<void> | null {
  const { secret, readSecret } = state;
  if (secret === null) return null;
  const shown = bearerOf(exchange);
  const isReader = shown !== null && readSecret?.matches(shown) === true;
  const job = shown === null || isReader ? null : state.sessions.findJob(shown);
  if (job !== null) {
    state.prove(exchange.request.socket);
    exchange.rights = rightsOf(job, state);
    exchange.mayChange = false;
    return null;
  }
  if (!isReader && (shown === null || !secret.matches(shown))) {
    return deny(exchange, state, shown !== null);
  }
  state.prove(exchange.request.socket);
  exchange.mayChange = !isReader;
  if (isReader && exchange.method !== "GET" && exchange.method !== "HEAD") throw readOnly();
  return null;
}

function readOnly(): Problem {
  return new Problem(
    403,
    "Read-only",
    "That token may only look: to claim, break, freeze or thaw, use the server's own token.",
  );
}

/** Refuses with 401, a little later. `shown`: it was a wrong secret, and not none. */
export async function deny(
  exchange: Exchange,
  { log }: Pick<DoorState, "log">,
  shown: boolean,
): Promise<never> {
  const { headers, socket } = exchange.request;
  // The page asks /admin/ before it knows that there is a secret: nothing was guessed then.
  const isQuestion = headers.authorization === undefined && exchange.path.startsWith("admin/");
  const level = isQuestion ? "debug" : "warn";
  log.limited(level, "authentication failed", { peer: socket.remoteAddress });
  await delay(DENIED_DELAY_MS);
  throw new Problem(
    401,
    "Unauthorized",
    shown
      ? "That is not the server's token."
      : "The server wants its token: send it as Authorization: Bearer TOKEN.",
    CHALLENGE,
  );
}

/** The secret that a request shows; null: none. */
export function bearerOf(exchange: Exchange): string | null {
  const { authorization } = exchange.request.headers;
  if (authorization === undefined) return null;
  const token = authorization.startsWith("Bearer ")
    ? authorization.slice(7).trim()
    : (/^bearer +(.*)$/i.exec(authorization)?.[1]?.trim() ?? null);
  // Node reads headers byte by byte; a token may have letters of several bytes.
  return token === null || ASCII.test(token) ? token : Buffer.from(token, "latin1").toString();
}

function cookieOf(header: string | undefined): string | null {
  if (header === undefined) return null;
  for (const part of header.split(";")) {
    const middle = part.indexOf("=");
    if (part.slice(0, middle).trim() === SESSION_COOKIE) return part.slice(middle + 1).trim();
  }
  return null;
}
