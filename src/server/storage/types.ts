import type { Hold } from "../../lock/history.ts";
import type { Freeze, PastFreeze } from "../../lock/status.ts";
import type { Introduction } from "../../wire/introduction.ts";
import type { JobIdentity } from "../identity/policy.ts";
import type { FrozenSlot, KeptLease, KeptPlace } from "../table/types.ts";

/** A lease that is to outlive a restart: a keeper's, or that of an HTTP session. Keys are as on the wire. */
export interface StoredLease extends Omit<KeptLease, "left"> {
  /** Wall clock, milliseconds. Sessions are told it, so it stands; keepers count for themselves. */
  readonly expiresAt: number;
  /** The session whose lease it is, by the digest of its id; null: a connection's. */
  readonly session: string | null;
  readonly introduction: Introduction | null;
}

/** A claim that waits, and is to find its place after a restart. Keys are as on the wire. */
export interface StoredPlace extends Omit<KeptPlace, "left"> {
  /** The session that waits, by the digest of its id; null: a connection. */
  readonly session: string | null;
  /** Of a connection: a claim that comes back is known by it. */
  readonly introduction: Introduction | null;
  /** How many restarts in a row it did not come back after. */
  readonly missed: number;
}

/** A key as on the wire, and what is known of it. */
export type Keyed<T> = { readonly key: string } & T;

/** An HTTP session. Its id is a secret: only the digest is kept. */
export interface StoredSession {
  readonly digest: string;
  /** The part of the id that may be shown. */
  readonly name: string;
  /** Milliseconds that it lives without being used. */
  readonly ttl: number;
  readonly createdAt: number;
  readonly lastUsed: number;
  readonly introduction: Introduction | null;
  /** The job that opened it with its ID token; null: it was opened with the server's token. */
  readonly identity: JobIdentity | null;
}

/** An ID token that opened a session, by a digest, and in seconds of the wall clock when it is over. */
export interface UsedToken {
  readonly digest: string;
  readonly over: number;
}

/** A file's path is its key, as on the wire. */
export interface StoredFile {
  readonly content: Uint8Array;
  readonly type: string;
  readonly etag: string;
  readonly modifiedAt: number;
  /** Of the lock under which it was last written. */
  readonly fence: number | null;
}

export type FileInfo = Omit<StoredFile, "content"> & { readonly size: number };

/** What must be true of the file as it is, for the write to happen. */
export interface FileConditions {
  /** `If-Match`: one of these ETags; "*": any file. */
  readonly match?: readonly string[] | "*";
  /** `If-None-Match`: none of these; "*": no file at all. */
  readonly noneMatch?: readonly string[] | "*";
  /** `Holdfast-Fence`: not lower than the highest that was seen for the key. */
  readonly fence?: number;
}

export type FileResult =
  | { readonly outcome: "created" | "updated"; readonly info: FileInfo }
  | { readonly outcome: "deleted" | "missing" }
  /** A condition does not hold. `fence`: the highest that was seen, where that was the reason. */
  | { readonly outcome: "precondition"; readonly fence?: number }
  /** No room for more files. */
  | { readonly outcome: "full" };

/** A change of state, in the order in which it happened. */
export type Change =
  | { readonly kind: "granted"; readonly lease: StoredLease }
  | {
      readonly kind: "renewed";
      readonly key: string;
      readonly fence: number;
      readonly lease: number;
      readonly expiresAt: number;
    }
  /** `hold`: what history keeps of it. */
  | {
      readonly kind: "ended";
      readonly key: string;
      readonly fence: number;
      readonly hold: Hold | null;
    }
  /** Claims that joined a line or stand otherwise in it, and numbers of places: left ones, and those of claims that came back. */
  | {
      readonly kind: "line";
      readonly joined: readonly StoredPlace[];
      readonly changed: readonly Pick<StoredPlace, "place" | "passed" | "ready">[];
      readonly left: readonly number[];
      readonly back: readonly number[];
    }
  /** The server has started: all that wait are awaited, once more or for the first time. */
  | { readonly kind: "awaiting" }
  /** `only`: the slot that is frozen; null: the whole key. */
  | {
      readonly kind: "frozen";
      readonly key: string;
      readonly freeze: Freeze;
      readonly only: FrozenSlot | null;
    }
  | { readonly kind: "thawed"; readonly key: string; readonly slot: number | null }
  | { readonly kind: "freeze-ended"; readonly key: string; readonly freeze: PastFreeze }
  | { readonly kind: "session"; readonly session: StoredSession }
  | { readonly kind: "session-ended"; readonly digest: string }
  | ({ readonly kind: "token-used" } & UsedToken)
  /** What the gate remembers of a run, as text that only it reads; null: nothing any more. */
  | { readonly kind: "gate"; readonly id: string; readonly record: string | null }
  /** The highest fences of keys whose leases are not kept. */
  | { readonly kind: "fences"; readonly fences: ReadonlyMap<string, number> };

/** What a data file held when the server started. */
export interface Found {
  readonly leases: readonly StoredLease[];
  /** Claims that waited, in the order in which they joined. */
  readonly line: readonly StoredPlace[];
  readonly sessions: readonly StoredSession[];
  /** `since`: all that were used from then on are known, in seconds. */
  readonly tokens: { readonly used: readonly UsedToken[]; readonly since: number };
  /** The newest holds of all keys, the oldest first. */
  readonly holds: readonly Keyed<{ readonly hold: Hold }>[];
  /** Freezes in force. */
  readonly freezes: readonly Keyed<{ readonly freeze: Freeze; readonly only: FrozenSlot | null }>[];
  /** The newest of those that are over, the oldest first. */
  readonly pastFreezes: readonly Keyed<{ readonly freeze: PastFreeze }>[];
  /** What the gate remembers. */
  readonly gate: readonly { readonly id: string; readonly record: string }[];
  /** The highest fence that was ever given. */
  readonly lastFence: number | null;
}

/**
 * What outlives the server, or at least its requests. It works on a thread of its own: only a reply
 * whose own state has to be on the disk waits for it.
 */
export interface Storage {
  readonly found: Found;
  /** Takes note of a change, in order. Never throws, never waits. */
  record(change: Change): void;
  /**
   * Null: everything that was recorded is safe, or nothing needs to be. Else a promise for the
   * moment when everything recorded so far is: until then its client must not be told of it.
   */
  settled(): Promise<void> | null;
  /** Why changes cannot be written just now, such as a full disk; they are kept and tried again. */
  readonly trouble: string | null;
  readFile(path: string): Promise<StoredFile | null>;
  statFile(path: string): Promise<FileInfo | null>;
  /** On the disk when it resolves. */
  writeFile(
    path: string,
    file: { readonly content: Uint8Array; readonly type: string; readonly modifiedAt: number },
    conditions: FileConditions,
  ): Promise<FileResult>;
  deleteFile(path: string, conditions: FileConditions): Promise<FileResult>;
  close(): Promise<void>;
}
