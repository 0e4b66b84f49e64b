import { hash } from "node:crypto";
import type { Metadata } from "../../../lock/owner.ts";
import type { Clock } from "../../../lock/time.ts";
import { randomHex } from "../../../machine/random.ts";
import type { Introduction } from "../../../wire/introduction.ts";
import type { JobIdentity } from "../../identity/policy.ts";
import type { Logger } from "../../log.ts";
import { PLACE_GRACE_MS, SESSION_GRACE_MS } from "../../memory/restore.ts";
import type { Storage, StoredSession } from "../../storage/types.ts";
import type { Party } from "../../table/claim.ts";
import type { LockTable } from "../../table/table.ts";
import { Problem } from "../exchange.ts";
import { Wait } from "../locks/wait.ts";
import { Session } from "./session.ts";

const ID_BYTES = 32;
const ID = /^[0-9a-f]{64}$/;

/** How often expired sessions are looked for: one is ended late by at most this, never early. */
const SWEEP_MS = 250;

/** How often the use of a session is written down, or ten times in its ttl where that is more often. */
const RECORD_MS = 60_000;

const FULL_RETRY_SECONDS = 10;

/** One job has at most this part of all sessions: none of them can shut the others out. */
const PART_OF_JOB = 10;

export interface SessionsContext {
  readonly table: LockTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly storage: Pick<Storage, "found" | "record">;
  /** Of sessions from before a restart, by digest: what holds their leases. */
  readonly sessionParties?: ReadonlyMap<string, Party>;
}

export interface NewSession {
  /** Milliseconds. */
  readonly ttl: number;
  /** By the digest, which is what a session without an owner is named after. */
  readonly introduce: (digest: string) => Introduction | null;
  /** The job whose ID token was shown; null: the server's token was. */
  readonly identity: JobIdentity | null;
}

/** All sessions, by the digest of their ids: the ids themselves are with their clients alone. */
export class Sessions {
  readonly #context: SessionsContext;
  readonly #limit: number;
  readonly #byDigest = new Map<string, Session>();
  readonly #sweep: NodeJS.Timeout;

  /** `limit` 0: none. */
  constructor(limit: number, context: SessionsContext) {
    this.#limit = limit;
    this.#context = context;
    const { sessions, leases } = context.storage.found;
    const told = new Map(leases.map(({ fence, expiresAt }) => [fence, expiresAt]));
    for (const stored of sessions) this.#restore(stored, told);
    this.#sweep = setInterval(() => this.#endExpired(), SWEEP_MS);
  }

  get size(): number {
    return this.#byDigest.size;
  }

  /** Returns the id, which is told to the client and then forgotten. */
  open({ ttl, introduce, identity }: NewSession): {
    readonly id: string;
    readonly session: Session;
  } {
    if (this.#limit > 0 && this.#byDigest.size >= this.#limit) {
      throw new Problem(
        503,
        "Too many sessions",
        `The server has ${this.#limit} sessions already: end one with DELETE /auth/session, or try again later.`,
        { "retry-after": FULL_RETRY_SECONDS },
      );
    }
    const { table, clock, storage, log } = this.#context;
    const id = randomHex(ID_BYTES);
    const digest = hash("sha256", id);
    const now = clock.now();
    const introduction = introduce(digest);
    if (identity !== null) this.#refuseMany(identity, introduction?.owner.id);
    const stored = {
      digest,
      name: "",
      ttl,
      createdAt: now,
      lastUsed: now,
      introduction,
      identity,
    };
    const party = table.admit(NOBODY, digest);
    const session = new Session(stored, party, clock.monotonic() + ttl);
    this.#byDigest.set(digest, session);
    storage.record({ kind: "session", session: session.toStored() });
    if (identity === null) log.write("debug", "session opened", { session: session.name });
    else {
      // Grants and releases name the owner: this line says whose jobs these are.
      const { id: owner = null, metadata = {} } = introduction?.owner ?? {};
      const { repository, ref, actor } = metadata as Metadata;
      const { issuer, run } = identity;
      const job = { owner, issuer, repository, ref, run, actor };
      log.write("info", "session opened", { session: session.name, ...job });
    }
    return { id, session };
  }

  /** Throws where the job has its part of all sessions. */
  #refuseMany({ url }: JobIdentity, owner: string | undefined): void {
    if (this.#limit === 0) return;
    let own = 0;
    for (const { identity, introduction } of this.#byDigest.values()) {
      if (identity?.url === url && introduction?.owner.id === owner) own += 1;
    }
    if (own < Math.ceil(this.#limit / PART_OF_JOB)) return;
    throw new Problem(
      503,
      "Too many sessions",
      `This job has ${own} sessions already: end one with DELETE /auth/session, or try again later.`,
      { "retry-after": FULL_RETRY_SECONDS },
    );
  }

  /** The session of that id, in use from now on; null where there is none. */
  find(id: string): Session | null {
    if (!ID.test(id)) return null;
    const session = this.#byDigest.get(hash("sha256", id));
    if (session === undefined || session.lapsed) return null;
    if (this.#ranOut(session, this.#context.clock.monotonic())) {
      this.end(session, "session expired");
      return null;
    }
    this.use(session);
    return session;
  }

  /** The session of that id where a job opened it with its ID token. */
  findJob(id: string): Session | null {
    const session = this.find(id);
    return session === null || session.identity === null ? null : session;
  }

  use(session: Session): void {
    if (session.over) return;
    const { clock, storage } = this.#context;
    const now = clock.now();
    session.lastUsed = now;
    session.expires = clock.monotonic() + session.ttl;
    if (Math.abs(now - session.recordedUse) < recordInterval(session.ttl)) return;
    session.recordedUse = now;
    storage.record({ kind: "session", session: session.toStored() });
  }

  /** Keeps the session in use for as long as the work takes. */
  async during<T>(session: Session, work: () => Promise<T>): Promise<T> {
    session.busy += 1;
    try {
      return await work();
    } finally {
      session.busy -= 1;
      this.use(session);
    }
  }

  /** Ends a session and releases its locks. */
  end(session: Session, event: "session deleted" | "session expired"): void {
    if (session.over) return;
    const { table, storage, log } = this.#context;
    session.over = true;
    this.#byDigest.delete(session.digest);
    for (const wait of session.waits?.values() ?? []) wait.abandon();
    session.waits = null;
    table.dismiss(session.party, true);
    table.dismiss(session.writer, true);
    storage.record({ kind: "session-ended", digest: session.digest });
    log.write("debug", event, { session: session.name });
  }

  /** Stops looking for expired sessions, and answers requests that wait. The sessions stay as they are. */
  close(): void {
    clearInterval(this.#sweep);
    for (const session of this.#byDigest.values()) {
      for (const wait of session.waits?.values() ?? []) wait.abandon();
    }
  }

  /** `told`: when its locks end, by their fences, as their clients know it. */
  #restore(stored: StoredSession, told: ReadonlyMap<number, number>): void {
    const { table, clock, sessionParties } = this.#context;
    const party = sessionParties?.get(stored.digest) ?? table.admit(NOBODY, stored.digest);
    // The last uses may not have been written down: rather too late than before its client was told.
    const expiresAt = stored.lastUsed + stored.ttl + recordInterval(stored.ttl);
    const left = Math.min(stored.ttl, expiresAt - clock.now());
    const waits = party.claims().filter(({ state }) => state === "waiting");
    // No request can use it any more, but its locks have their grace. A session that waited was in use
    // until the server ended: it lives, so that its client finds its place.
    const lapsed = left <= 0 && waits.length === 0;
    const grace = lapsed && !party.hasClaims ? 0 : Math.min(stored.ttl, SESSION_GRACE_MS);
    const least = waits.length === 0 ? grace : Math.max(grace, PLACE_GRACE_MS);
    const session = new Session(stored, party, clock.monotonic() + Math.max(left, least));
    session.lapsed = lapsed;
    this.#byDigest.set(stored.digest, session);
    for (const claim of waits) new Wait(claim, session, table, () => this.use(session));
    for (const claim of party.claims()) {
      if (claim.state !== "held") continue;
      claim.renewed = (told.get(claim.fence) ?? clock.now() + claim.lease) - claim.lease;
    }
  }

  #endExpired(): void {
    const now = this.#context.clock.monotonic();
    for (const session of this.#byDigest.values()) {
      if (this.#ranOut(session, now)) this.end(session, "session expired");
    }
  }

  #ranOut(session: Session, now: number): boolean {
    return session.busy === 0 && session.expires <= now;
  }
}

function recordInterval(ttl: number): number {
  return Math.min(RECORD_MS, ttl / 10);
}

/** The listener of a party until its session takes that place. */
const NOBODY = { granted() {}, ended() {} };
