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
import type { JobSession, LockServer, Question } from "./client.ts";
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

/** What the token of a lease begins with whose session may have other keys of its job, too. */
export const OF_JOB = "job.";

/** What a session is opened for; null: only to ask something. */
export type Purpose = { readonly serverKey: string; readonly isOfRun: boolean } | null;

/**
 * A session: by it the server knows a claim. Each claim has one of its own, since a session that asks
 * for what it holds is given it again; and the locks of a session end with it. Only a job with an ID
 * token has one for all of its keys.
 */
export class Session {
  readonly id: string;
  /** The user gave it: it lives on when the claim is over. */
  readonly isGiven: boolean;
  /** Who this job is to the server, by its ID token; null: whoever the client says. */
  readonly owner: string | null;
  readonly #server: LockServer;
  readonly #job: JobSession | null;
  /** The key that is to be released with it, where others are in the session, too. */
  #claimed: Purpose;
  #isOver = false;

  constructor(
    server: LockServer,
    id: string,
    isGiven: boolean,
    job: JobSession | null = null,
    purpose: Purpose = null,
  ) {
    this.#server = server;
    this.id = id;
    this.isGiven = isGiven;
    this.owner = job?.owner ?? null;
    this.#job = job;
    this.#claimed = purpose;
    if (job === null) return;
    job.users += 1;
    if (purpose !== null) job.keys.set(purpose.serverKey, purpose.isOfRun);
  }

  /** For the lease of what it holds. */
  get token(): string {
    return this.#job === null ? this.id : OF_JOB + this.id;
  }

  /** Asks as this session. */
  async ask(question: Omit<Question, "bearer">): Promise<Answer> {
    const sentAt = performance.now();
    const answer = await this.#server.ask({ ...question, bearer: this.id });
    if (this.#job === null) return answer;
    if (answer.status !== 401) this.#job.provenAt = sentAt;
    else if (this.#server.job === this.#job) this.#server.job = null;
    return answer;
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
    return this.ask({ path, ...manner });
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
    if (answer.status === 200 && answer.body !== null) return this.#free("released");
    if (isGone(answer)) {
      this.#free("already-gone");
      const broken = brokenWords(answer.body ?? {});
      return broken === null ? "already-gone" : { gone: broken };
    }
    throw this.#server.refusal(answer);
  }

  /** Nothing of the key is left in the session. */
  #free<Outcome>(outcome: Outcome): Outcome {
    if (this.#claimed !== null) this.#job?.keys.delete(this.#claimed.serverKey);
    this.#claimed = null;
    return outcome;
  }

  /** Leaves every line and releases everything of its own. What fails here, the session's life ends. */
  async end(manner: Manner = {}): Promise<void> {
    if (this.isGiven || this.#isOver) return;
    this.#isOver = true;
    const job = this.#job;
    if (job === null) return endSession(this.#server, this.id, manner);
    // What a run holds stays; a place of it in line goes as soon as nobody asks for it any more.
    if (this.#claimed?.isOfRun === false) {
      const goodbye = { patience: GOODBYE_MS, once: true, ...manner };
      await this.lock("release", this.#claimed.serverKey, goodbye)
        .then(() => this.#free(null))
        .catch(() => {});
    }
    job.users -= 1;
    const isLast = job.users === 0 && (this.#server.isClosed || this.#server.job !== job);
    if (isLast) await endJob(this.#server, job, manner);
  }
}

async function endSession(server: LockServer, id: string, manner: Manner): Promise<void> {
  const question = { method: "DELETE", path: SESSION_PATH, bearer: id } as const;
  await server.ask({ patience: GOODBYE_MS, ...question, ...manner }).catch(() => {});
}

function endJob(server: LockServer, job: JobSession, manner: Manner = {}): Promise<void> {
  if (server.job === job) server.job = null;
  return endSession(server, job.id, manner);
}

/** The store is closed: its session of a job ends now, or with the last holding in it. */
export async function leaveJob(server: LockServer): Promise<void> {
  server.isClosed = true;
  if (server.job?.users === 0) await endJob(server, server.job);
}

/** The job's session, where it is surely alive and this is not in it yet. */
function jobFor({ job }: LockServer, life: number, purpose: Purpose): JobSession | null {
  if (job === null || performance.now() - job.provenAt > (job.life * 1_000) / 2) return null;
  if (purpose === null) return job;
  const isOfRun = job.keys.get(purpose.serverKey);
  const isFree = isOfRun === undefined || (isOfRun && purpose.isOfRun);
  return job.life === life && isFree ? job : null;
}

/** Not held by this session, or there is no such session. */
function isGone({ status, body }: Answer): boolean {
  return (status === 404 || status === 401 || status === 423) && body?.error !== undefined;
}

/** `life`: seconds that the server keeps the session and its locks without hearing of it. */
export async function openSession(
  server: LockServer,
  introduction: Pick<CheckedRequest, "owner" | "note">,
  life: number,
  manner: Manner = {},
  purpose: Purpose = null,
): Promise<Session> {
  const { askIdToken } = server;
  if (askIdToken === null) return openOwn(server, introduction, life, manner, null, null);
  while (server.opening !== null) await server.opening;
  const job = jobFor(server, life, purpose);
  if (job !== null) return new Session(server, job.id, false, job, purpose);
  const opened = (async () => {
    const idToken = await askIdToken(manner.signal);
    return openOwn(server, introduction, life, manner, idToken, purpose);
  })();
  server.opening = opened
    .catch(() => {})
    .finally(() => {
      server.opening = null;
    });
  return opened;
}

async function openOwn(
  server: LockServer,
  { owner, note }: Pick<CheckedRequest, "owner" | "note">,
  life: number,
  manner: Manner,
  idToken: string | null,
  purpose: Purpose,
): Promise<Session> {
  const { secret } = server;
  const wish = (metadata: Metadata) => ({
    ...({ method: "POST", path: SESSION_PATH, bearer: secret ?? idToken } as const),
    once: idToken !== null,
    body: { ttl: life, owner: owner.id, ...(note === null ? {} : { note }), metadata },
    ...manner,
  });
  const provenAt = performance.now();
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
    const knownAs = cleanIn(answer.body, "owner");
    const before = server.job;
    server.job = { id, owner: knownAs, life, keys: new Map(), users: 0, provenAt };
    if (before?.users === 0) await endJob(server, before);
    return new Session(server, id, false, server.job, purpose);
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
/** That of a job lasts until the store is closed: as long as a claim's usually does, which can then use it. */
const JOB_VISIT_LIFE_S = 30;

/** Opens a session for a few words, and ends it. */
export async function visit<T>(
  server: LockServer,
  manner: Manner,
  use: (session: Session) => Promise<T>,
): Promise<T> {
  const owner = { id: "holdfast-status", metadata: {} };
  const life = server.askIdToken === null ? VISIT_LIFE_S : JOB_VISIT_LIFE_S;
  const session = await openSession(server, { owner, note: null }, life, manner);
  try {
    return await use(session);
  } finally {
    await session.end({
      ...(manner.background === undefined ? {} : { background: manner.background }),
    });
  }
}
