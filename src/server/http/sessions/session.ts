import type { Introduction } from "../../../wire/introduction.ts";
import { jobOf } from "../../identity/owner.ts";
import type { JobIdentity } from "../../identity/policy.ts";
import type { StoredSession } from "../../storage/types.ts";
import { type Claim, type Listener, Party } from "../../table/claim.ts";
import type { EndReason, Newer } from "../../table/ends.ts";
import { publicName } from "../../table/names.ts";
import type { Wait } from "../locks/wait.ts";

/** The party of a session's writes. Its locks last for a write, and a restart must not keep them. */
class Writer extends Party {
  override get isKept(): boolean {
    return false;
  }
}

/** A session of the HTTP door: its owner, what it waits for, and until when it lives. */
export class Session implements Listener {
  readonly digest: string;
  /** Milliseconds that it lives without being used. */
  readonly ttl: number;
  /** Wall clock, milliseconds. */
  readonly createdAt: number;
  lastUsed: number;
  /** The last use that the storage knows of. */
  recordedUse: number;
  /** By the monotonic clock. */
  expires: number;
  readonly introduction: Introduction | null;
  /** The job that opened it with its ID token; null: it was opened with the server's token. */
  readonly identity: JobIdentity | null;
  readonly party: Party;
  /** Holds the locks of writes that have no explicit one. */
  readonly writer: Party;
  /** What it waits for, or waited for a moment ago; by key. Most wait for nothing. */
  waits: Map<string, Wait> | null = null;
  /** Requests that wait, or are still arriving: as long as there are any, the session is in use. */
  busy = 0;
  /** Locks that were broken, or may be, by key, until it has them again: told when it asks for them. */
  broken: Map<string, Claim> | null = null;
  /**
   * Keys for which a newer claim ended this session's: told whenever it asks, until it releases the
   * key. It may not have heard the first answer, and asking anew would end the newer claim.
   */
  superseded: Map<string, Newer> | null = null;
  over = false;
  /** It expired while the server was down: no request can use it, but its locks have their grace. */
  lapsed = false;

  constructor(stored: StoredSession, party: Party, expires: number) {
    this.digest = stored.digest;
    this.ttl = stored.ttl;
    this.createdAt = stored.createdAt;
    this.lastUsed = stored.lastUsed;
    this.recordedUse = stored.lastUsed;
    this.introduction = stored.introduction;
    this.identity = stored.identity;
    this.expires = expires;
    this.party = party;
    party.introduction = stored.introduction;
    party.job = stored.identity === null ? null : jobOf(stored.identity);
    party.patience = stored.ttl;
    party.listener = this;
    this.writer = new Writer(party.id, SILENT, stored.digest);
    this.writer.introduction = stored.introduction;
  }

  get name(): string {
    return publicName(this.party);
  }

  /** Wall clock, milliseconds. */
  get expiresAt(): number {
    return this.lastUsed + this.ttl;
  }

  granted(claim: Claim): void {
    this.waits?.get(claim.entry.key)?.granted();
  }

  ended(claim: Claim, reason: EndReason): void {
    if (reason === "broken") this.noteBreak(claim);
    if (claim.newer !== null) this.remember(claim.entry.key, claim.newer);
    if (this.waits === null) return;
    const wait = this.waits.get(claim.entry.key);
    if (wait?.claim === claim) wait.ended(reason);
  }

  noteBreak(claim: Claim): void {
    this.broken ??= new Map();
    this.broken.set(claim.entry.key, claim);
  }

  remember(key: string, newer: Newer): void {
    this.superseded ??= new Map();
    this.superseded.set(key, newer);
  }

  owns(claim: Claim): boolean {
    return claim.party === this.party;
  }

  toStored(): StoredSession {
    const { digest, name, ttl, createdAt, lastUsed, introduction, identity } = this;
    return { digest, name, ttl, createdAt, lastUsed, introduction, identity };
  }
}

/** The listener of writes. A write gets its lock at once or not at all, so there is nothing to tell it. */
const SILENT: Listener = { granted() {}, ended() {} };
