import { DURATION_LIMIT_MS, parseDuration } from "./duration.ts";
import { LockError } from "./errors.ts";
import { parseKey } from "./key.ts";
import { checkMetadata, parseNote, parseOwnerId } from "./owner.ts";
import { DEFAULT_RECLAIM } from "./reclaim.ts";
import type { ClaimRequest, FreezeOptions, Line, Run } from "./store.ts";
import { byteLength, cleanText, hasControl, quote } from "./text.ts";
import { defaultTtlSeconds, isEnvironment, isPurpose, TTL_MIN_MS } from "./ttl.ts";

export const DEFAULT_DEAD_AFTER_MS = 30_000;
/** A shorter silence would let a busy machine lose its own locks. */
const DEAD_AFTER_MIN_MS = 1_000;

/** Nobody refreshes a run's lock: long enough for a deployment of many jobs, and no working day lost. */
export const RUN_TTL_MS = 6 * 3_600_000;

/** A claim request with everything checked and every default filled in. */
export type CheckedRequest = Required<Omit<ClaimRequest, "note" | "run">> & {
  readonly note: string | null;
  readonly run: Run | null;
};

/** Checks all of a request before anything is written. */
export function checkRequest(request: ClaimRequest): CheckedRequest {
  const owner = {
    id: parseOwnerId(request.owner.id),
    metadata: checkMetadata(request.owner.metadata),
  };
  const { environment, purpose } = owner.metadata;
  const policy = defaultTtlSeconds(
    isEnvironment(environment) ? environment : "local",
    isPurpose(purpose) ? purpose : "interactive",
  );
  const fallback = request.run === undefined ? policy * 1_000 : RUN_TTL_MS;
  return {
    key: parseKey(request.key),
    owner,
    slots: checkSlots(request.slots ?? 1),
    ttl: atLeast("BAD_TTL", "ttl", request.ttl ?? fallback, TTL_MIN_MS),
    deadAfter: atLeast(
      "BAD_DEAD_AFTER",
      "dead-after",
      request.deadAfter ?? DEFAULT_DEAD_AFTER_MS,
      DEAD_AFTER_MIN_MS,
    ),
    note: request.note === undefined ? null : parseNote(request.note) || null,
    reclaim: request.reclaim ?? DEFAULT_RECLAIM,
    // A run's lock has nobody who could refresh it: its ttl is the bound.
    refresh: request.run === undefined && (request.refresh ?? true),
    grace: Math.max(0, request.grace ?? 0),
    line: parseLine(request.line ?? "fifo"),
    run: request.run === undefined ? null : checkRun(request.run),
  };
}

/** The order in which claims are served, as a user writes it. */
export function parseLine(text: string): Line {
  if (text === "fifo" || text === "newest") return text;
  throw new LockError("BAD_LINE", `The line is ${quote(text)}: use fifo or newest.`);
}

const RUN_ID_LIMIT = 500;

function checkRun(run: Run): Run {
  const { id } = run;
  const isText = id.isWellFormed() && !hasControl(id);
  const isWhole = isText && id.length > 0 && id.length <= RUN_ID_LIMIT;
  if (isWhole) return run;
  throw new LockError(
    "BAD_RUN",
    `The run's id is ${quote(run.id)}: use 1 to ${RUN_ID_LIMIT} characters without control characters.`,
  );
}

const REASON_BYTES_LIMIT = 1_000;

/** Checks all of a freeze before anything is written. */
export function checkFreeze({ owner, reason, duration }: FreezeOptions): FreezeOptions {
  const isTime = duration === null || (duration > 0 && duration <= DURATION_LIMIT_MS);
  if (!isTime) {
    throw new LockError(
      "BAD_DURATION",
      `The time of the freeze is ${duration} ms: use more than 0 and at most a year, or null for no end.`,
    );
  }
  return { owner: parseOwnerId(owner), reason: checkReason(reason), duration };
}

/** A reason for the record, on one line; control characters become spaces. */
function checkReason(text: string): string {
  const reason = cleanText(text.toWellFormed()).trim();
  const bytes = byteLength(reason);
  if (bytes > 0 && bytes <= REASON_BYTES_LIMIT) return reason;
  const wrong = bytes === 0 ? "is missing" : `has ${bytes} bytes`;
  throw new LockError(
    "BAD_REASON",
    `The reason ${wrong}: use 1 to ${REASON_BYTES_LIMIT} bytes that say why.`,
  );
}

function atLeast(
  code: "BAD_TTL" | "BAD_DEAD_AFTER",
  name: string,
  value: number,
  least: number,
): number {
  // Whole milliseconds: a file's reader takes nothing else.
  if (value >= least && value <= DURATION_LIMIT_MS) return Math.round(value);
  throw new LockError(
    code,
    `The ${name} is ${value} ms: use at least ${least / 1_000}s and at most a year.`,
  );
}

/** The ttl as a user writes it: in milliseconds, always with an end. */
export function parseTtl(text: string): number {
  return parseAtLeast("BAD_TTL", "ttl", text, TTL_MIN_MS);
}

/** `dead-after` as a user writes it: in milliseconds, always with an end. */
export function parseDeadAfter(text: string): number {
  return parseAtLeast("BAD_DEAD_AFTER", "dead-after", text, DEAD_AFTER_MIN_MS);
}

function parseAtLeast(
  code: "BAD_TTL" | "BAD_DEAD_AFTER",
  name: string,
  text: string,
  least: number,
): number {
  const value = parseDuration(text, name);
  if (value !== null && value >= least) return value;
  const wrong = value === null ? "has no end" : "is too short";
  throw new LockError(code, `The ${name} ${quote(text)} ${wrong}: use at least ${least / 1_000}s.`);
}

/** What lock files are written as. */
export const LOCK_FORMATS = ["sema", "json"] as const;
export type LockFormat = (typeof LOCK_FORMATS)[number];

export function parseFormat(text: string): LockFormat {
  const format = LOCK_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new LockError(
    "BAD_FORMAT",
    `The format ${quote(text)} is not known: use ${LOCK_FORMATS.join(" or ")}.`,
  );
}

/** Milliseconds to wait; null: without limit. */
export function checkTimeout(timeout: number | null | undefined): void {
  if (timeout == null || timeout >= 0) return;
  throw new LockError(
    "BAD_DURATION",
    `The timeout is ${timeout} ms: use 0 not to wait, or null to wait without limit.`,
  );
}

/** Every claim looks at each slot: beyond this a lock is the wrong tool. */
export const SLOTS_LIMIT = 1_000;

export function parseSlots(text: string): number {
  const slots = /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  return checkSlots(slots, text);
}

export function checkSlots(slots: number, shown = String(slots)): number {
  if (!Number.isInteger(slots) || slots < 1 || slots > SLOTS_LIMIT) {
    throw new LockError(
      "BAD_SLOTS",
      `The number of slots ${quote(shown)} is not a whole number from 1 to ${SLOTS_LIMIT}.`,
    );
  }
  return slots;
}

/** The number of one slot, as `break` takes it: they count from 0. */
export function checkSlot(slot: number): number {
  if (!Number.isInteger(slot) || slot < 0 || slot >= SLOTS_LIMIT) {
    throw new LockError(
      "BAD_SLOTS",
      `The slot ${quote(String(slot))} is not a whole number from 0 to ${SLOTS_LIMIT - 1}.`,
    );
  }
  return slot;
}

/** Claims of one key must agree about its slots; the sentence names both numbers. */
export function slotsMismatch(key: string, asked: number, present: number): LockError {
  return new LockError(
    "SLOTS_MISMATCH",
    `The key ${quote(key)} is in use with slots ${present}, but this claim asks for slots ${asked}: use ${present}, or wait until nobody holds or waits for it.`,
  );
}
