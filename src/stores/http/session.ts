import { PLAIN } from "../../lock/admission.ts";
import { isLockError, LockError } from "../../lock/errors.ts";
import { brokenWords } from "../../lock/history.ts";
import { LATER_FIELDS, type Metadata } from "../../lock/owner.ts";
import type { CheckedRequest } from "../../lock/request.ts";
import { cleanIn, textIn } from "../remote/fields.ts";
import type { Released } from "../remote/holding.ts";
import { unreachable } from "../remote/trouble.ts";
import { pathOf } from "./address.ts";
import type { Answer } from "./answer.ts";
import type { LockServer, Question } from "./client.ts";
import { speaksOtherwise } from "./errors.ts";
import { knowsLaterWords } from "./later-words.ts";

const SESSION_PATH = "/auth/session";
/**
 * How long a leaving client waits for the server's answer. If it hears none, the session's end does the rest.
 */
const GOODBYE_MS = 2_000;
/** A server answers in milliseconds; after this another connection is tried. */
const RELEASE_MS = 5_000;
/** The life that the protocol gives a session; a longer one is refreshed in time. */
export const LIFE_LIMIT_S = 7 * 86_400;

export type Operation = "acquire" | "release" | "refresh" | "status";

export type Manner = Pick<Question, "patience" | "signal" | "background" | "once" | "holdToken">;

/** What is asked about a lock besides the operation; what is not set is left out. */
export interface Terms {
  readonly slots?: number;
  readonly weight?: number;
  readonly priority?: number;
  /** With commas in between. */
  readonly resources?: string;
  readonly ready?: false;
  readonly wait?: number;
  readonly line?: "newest";
  /** Milliseconds since the claim began. */
  readonly age?: number;
  readonly run?: string;
  /** Milliseconds. */
  readonly ttl?: number;
  readonly fence?: number;
}

/** The terms of a claim. Usual values are left out: a server of the protocol's authors knows nothing else. */
export function termsOf(request: CheckedRequest, age: number, isReady = true): Terms {
  const { slots, weight, priority, resources, line, run, ttl } = request;
  return {
    ...(slots === 1 ? {} : { slots }),
    ...(weight === PLAIN.weight ? {} : { weight }),
    ...(priority === PLAIN.priority ? {} : { priority }),
    ...(resources === null ? {} : { resources: resources.join(",") }),
    ...(isReady ? {} : { ready: false }),
    ...(line === "newest" ? { line, age } : {}),
    ...(run === null ? {} : { run: run.id, ttl }),
  };
}

/**
 * A session: by it the server knows a claim. Each claim has one of its own, since a session that asks for what
 * it holds is given it again; and the locks of a session end with it.
 */
export class Session {
  readonly id: string;
  /** The user gave it: it lives on when the claim is over. */
  readonly isGiven: boolean;
  /** Who this job is to the server, by its ID token; null: whoever the client says. */
  readonly owner: string | null;
  readonly #server: LockServer;

  constructor(server: LockServer, id: string, isGiven: boolean, owner: string | null = null) {
    this.#server = server;
    this.id = id;
    this.isGiven = isGiven;
    this.owner = owner;
  }

  /** Sends one word about the lock of a server's key. */
  lock(
    operation: Operation,
    serverKey: string,
    manner: Manner = {},
    terms: Terms = {},
  ): Promise<Answer> {
    const query = Object.entries(terms).map(
      ([name, value]) => `&${name}=${encodeURIComponent(value)}`,
    );
    const path = `${pathOf(serverKey)}?lock=${operation}${query.join("")}`;
    return this.#server.ask({ path, bearer: this.id, ...manner });
  }

  /**
   * Releases a lock and then ends the session: to some servers these are not the same. `isOurs`: the lock is
   * known to be held until now.
   */
  async release(serverKey: string, isOurs = true): Promise<Released> {
    const outcome = await this.#askRelease(serverKey).catch(async (error) => {
      if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
      await this.#server.dropIdle();
      // The answer to the first word was lost, perhaps after the server heard it: that is no loss.
      const again = await this.#askRelease(serverKey);
      return isOurs ? ("released" as const) : again;
    });
    await this.end();
    return outcome;
  }

  async #askRelease(serverKey: string): Promise<Released> {
    const answer = await this.lock("release", serverKey, { patience: RELEASE_MS, once: true });
    if (answer.status === 200 && answer.body !== null) return "released";
    if (isGone(answer)) {
      const broken = brokenWords(answer.body ?? {});
      return broken === null ? "already-gone" : { gone: broken };
    }
    throw this.#server.refusal(answer);
  }

  /** Leaves every line and releases everything. If this fails, the session's life ends the rest. */
  async end(manner: Manner = {}): Promise<void> {
    if (this.isGiven) return;
    if (this.#server.jobSession === this.id) this.#server.jobSession = null;
    const question = { method: "DELETE", path: SESSION_PATH, bearer: this.id } as const;
    await this.#server.ask({ patience: GOODBYE_MS, ...question, ...manner }).catch(() => {});
  }
}

/** Not held by this session, or there is no such session. */
function isGone({ status, body }: Answer): boolean {
  return (status === 404 || status === 401 || status === 423) && body?.error !== undefined;
}

/** `life`: seconds that the server keeps the session and its locks without hearing of it. */
export async function openSession(
  server: LockServer,
  { owner, note }: Pick<CheckedRequest, "owner" | "note">,
  life: number,
  manner: Manner = {},
): Promise<Session> {
  const { secret, askIdToken } = server;
  const idToken = askIdToken === null ? null : await askIdToken(manner.signal);
  const wish = (metadata: Metadata) => ({
    ...({ method: "POST", path: SESSION_PATH, bearer: secret ?? idToken } as const),
    once: idToken !== null,
    body: { ttl: life, owner: owner.id, ...(note === null ? {} : { note }), metadata },
    ...manner,
  });
  let answer = await server.ask(wish(owner.metadata));
  const known = Object.entries(owner.metadata).filter(([field]) => !LATER_FIELDS.includes(field));
  // A server of the first version refuses fields that it does not know. It knows no ID tokens either.
  if (
    idToken === null &&
    answer.status === 400 &&
    known.length < Object.keys(owner.metadata).length
  ) {
    answer = await server.ask(wish(Object.fromEntries(known)));
  }
  if (answer.status === 201 || answer.status === 200) {
    const id = textIn(answer.body, "sessionId") ?? "";
    if (!/^[\x21-\x7e]{16,512}$/.test(id)) throw speaksOtherwise(server.address, answer, secret);
    // A server that tells its words need not be tried with them.
    if (Array.isArray(answer.body?.knows)) server.heeds = knowsLaterWords(answer.body.knows);
    if (idToken === null) return new Session(server, id, false);
    server.jobSession = id;
    return new Session(server, id, false, cleanIn(answer.body, "owner"));
  }
  if (idToken !== null || !isUnwilling(answer)) throw server.refusal(answer);
  if (secret !== null && (await isReadySession(server, secret, manner))) {
    return new Session(server, secret, true);
  }
  if (answer.status === 404 || answer.status === 405) {
    const why = `knows no sessions (${answer.status} for ${SESSION_PATH}): check host and port`;
    throw unreachable(server.address, why);
  }
  const isDenied = answer.status === 401 || answer.status === 403;
  if (isDenied || answer.body === null) throw server.refusal(answer);
  throw new LockError(
    "STORE_DENIED",
    `The lock server ${server.address.shown} opens no session for Holdfast (${answer.status}): if it is one that asks for signed requests, give the id of a ready session in HOLDFAST_TOKEN.`,
  );
}

/** Whether the server knows sessions, but opens them for others. */
function isUnwilling({ status }: Answer): boolean {
  return [400, 401, 403, 404, 405, 415, 422].includes(status);
}

/**
 * Whether the secret is the id of a session. Our own server names its sessions, and none of them is a token of
 * the server.
 */
async function isReadySession(
  server: LockServer,
  secret: string,
  manner: Manner,
): Promise<boolean> {
  const { status, body } = await server.ask({ path: SESSION_PATH, bearer: secret, ...manner });
  return status === 200 && body?.expiresAt !== undefined && body.name === undefined;
}

/** A session for a few words: if its end is not heard, it ends by itself. */
const VISIT_LIFE_S = 10;

/** Opens a session for a few words, and ends it. */
export async function visit<T>(
  server: LockServer,
  manner: Manner,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const owner = { id: "holdfast-status", metadata: {} };
  const session = await openSession(server, { owner, note: null }, VISIT_LIFE_S, manner);
  try {
    return await use(session);
  } finally {
    await session.end({
      ...(manner.background === undefined ? {} : { background: manner.background }),
    });
  }
}
