import { DURATION_LIMIT_MS } from "./duration.ts";
import { LockError } from "./errors.ts";
import { parseKey } from "./key.ts";
import { checkMetadata, parseNote, parseOwnerId } from "./owner.ts";
import { DEFAULT_RECLAIM } from "./reclaim.ts";
import { checkSlots } from "./slots.ts";
import type { ClaimRequest } from "./store.ts";
import { defaultTtlSeconds, isEnvironment, isPurpose, TTL_MIN_MS } from "./ttl.ts";

export const DEFAULT_DEAD_AFTER_MS = 30_000;
export const DEAD_AFTER_MIN_MS = 1_000;

/** A claim request with everything checked and every default filled in. */
export type CheckedRequest = Required<Omit<ClaimRequest, "note">> & {
  readonly note: string | null;
};

/** Checks all of a request before anything is written. */
export function checkRequest(request: ClaimRequest): CheckedRequest {
  const owner = {
    id: parseOwnerId(request.owner.id),
    metadata: checkMetadata(request.owner.metadata),
  };
  const { environment, purpose } = owner.metadata;
  const fallback = defaultTtlSeconds(
    isEnvironment(environment) ? environment : "local",
    isPurpose(purpose) ? purpose : "interactive",
  );
  return {
    key: parseKey(request.key),
    owner,
    slots: checkSlots(request.slots ?? 1),
    ttl: atLeast("BAD_TTL", "ttl", request.ttl ?? fallback * 1_000, TTL_MIN_MS),
    deadAfter: atLeast(
      "BAD_DEAD_AFTER",
      "dead-after",
      request.deadAfter ?? DEFAULT_DEAD_AFTER_MS,
      DEAD_AFTER_MIN_MS,
    ),
    note: request.note === undefined ? null : parseNote(request.note) || null,
    reclaim: request.reclaim ?? DEFAULT_RECLAIM,
    refresh: request.refresh ?? true,
  };
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

/** Milliseconds to wait; null: without limit. */
export function checkTimeout(timeout: number | null | undefined): void {
  if (timeout == null || timeout >= 0) return;
  throw new LockError(
    "BAD_DURATION",
    `The timeout is ${timeout} ms: use 0 not to wait, or null to wait without limit.`,
  );
}
