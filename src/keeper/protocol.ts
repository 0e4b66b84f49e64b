import type { Readable } from "node:stream";
import { type ErrorCode, LockError, SupersededError } from "../lock/errors.ts";
import { type Hold, historyOf } from "../lock/history.ts";
import type { ClaimRequest, Progress, Store } from "../lock/store.ts";
import { within } from "../lock/time.ts";
import type { ProcessMark } from "../machine/processes.ts";
import type { StoreOptions } from "../stores/options.ts";
import { LineReader } from "../wire/line-reader.ts";
import type { JobSigns } from "./program/watch-job.ts";

/** A claim for a keeper: which lock, for which owner, and what ends it. */
export interface KeeperClaim extends JobSigns {
  readonly store: string;
  readonly storeOptions: StoreOptions;
  readonly request: ClaimRequest;
  /** Further keys that are claimed with the request's own, as written: all of them or none. */
  readonly also?: readonly string[];
  /** Milliseconds; null without limit. */
  readonly timeout: number | null;
  /** It only joins the line: the place is taken later, with a timeout of its own. */
  readonly join?: boolean;
  /** Whether the store's history is read, to say when it is this claim's turn. */
  readonly history: boolean;
  /** Where the lease is to be written. */
  readonly leaseFile: string;
  /** The CI job that claims the lock, whatever its owner is called; null outside CI. */
  readonly job: string | null;
}

/** A keeper's task: one JSON line on its stdin, so that no secret is in a process list. */
export interface Task extends KeeperClaim {
  /** Which process stands in line. If that is the starter, it sends the lease as a second line. */
  readonly claimedBy: "starter" | "keeper";
  readonly starter: ProcessMark;
}

/** What a keeper tells its starter: JSON lines on its stdout, until the starter acknowledges. */
export type Message =
  | { readonly event: "progress"; readonly progress: Progress }
  /** The store is away or is rate-limiting requests, in one sentence, before the claim stands in line. */
  | { readonly event: "trouble"; readonly sentence: string }
  /** It holds the lock, or stands in line where it is only to join, and the lease file is there. */
  | { readonly event: "granted" }
  | Failure;

export interface Failure {
  readonly event: "failed";
  readonly code: ErrorCode;
  readonly message: string;
  /** Of a claim that was superseded. */
  readonly newer?: { readonly by: string; readonly url: string | null } | undefined;
}

/** An error as a keeper tells it. */
export function failureOf(error: LockError): Failure {
  const { code, message } = error;
  if (!(error instanceof SupersededError)) return { event: "failed", code, message };
  return { event: "failed", code, message, newer: { by: error.by, url: error.url } };
}

/** The error that a keeper told. */
export function errorOf({ code, message, newer }: Failure): LockError {
  return newer === undefined ? new LockError(code, message) : new SupersededError(message, newer);
}

/** What a claim asks for, key by key. */
export function requestsOf({ request, also = [] }: KeeperClaim): readonly ClaimRequest[] {
  return [request, ...also.map((key) => ({ ...request, key }))];
}

/** The starter's answer to `granted`: without it the keeper releases the lock again. */
export const ACKNOWLEDGED = "acknowledged";

/** The starter's last message. If it is missing, the starter was killed and the keeper tidies up. */
export const DISMISSED = "dismissed";

/** The longest line, in bytes. A peer that sends more without a newline is not one of ours. */
const LINE_LIMIT = 1024 * 1024;

/** A reader of this protocol's lines. */
export function newLineReader(): LineReader {
  return new LineReader(LINE_LIMIT);
}

/**
 * Calls back for every line of a stream, and for those that `reader` already has; `onEnd` once,
 * whichever way the stream ends.
 */
export function readLines(
  stream: Readable,
  onLine: (line: string) => void,
  onEnd: () => void,
  reader = newLineReader(),
): void {
  let ended = false;
  const end = () => {
    if (ended) return;
    ended = true;
    onEnd();
  };
  const deliver = () => {
    while (!ended) {
      const line = reader.next();
      if (line === null) return;
      onLine(line);
    }
  };
  stream.on("data", (chunk: Buffer) => {
    reader.push(chunk);
    deliver();
    if (reader.tooLong) stream.destroy();
  });
  stream.on("end", end);
  stream.on("close", end);
  stream.on("error", end);
  deliver();
}

/** How many holds a report uses. */
const PAST_LIMIT = 20;
/** How long the end of a job may wait for them: they are only part of a report. */
const PAST_PATIENCE_MS = 500;

/** Reads the history of the key that a claim waits for; null where none is wanted or remembered. */
export function historyFor(
  store: Pick<Store, "history">,
  { history, request }: KeeperClaim,
): ((key?: string) => Promise<readonly Hold[]>) | null {
  if (!history || store.history === undefined) return null;
  return async (key = request.key) => (await historyOf(store, key)?.()) ?? [];
}

export type Past = () => Promise<readonly Hold[]>;

/** The key's latest holds, for the report at the job's end: read once, when first asked for. */
export function pastOf(store: Pick<Store, "history">, claim: KeeperClaim): Past {
  const history = claim.history ? historyOf(store, claim.request.key, PAST_LIMIT) : null;
  let read: Promise<readonly Hold[]> | null = null;
  return async () => {
    if (history === null) return [];
    read ??= history();
    const late = () => new Error("the history takes too long");
    return within(read, PAST_PATIENCE_MS, late).catch(() => []);
  };
}
