import type { Place } from "../disk/place.ts";
import { type Steps, step } from "../protocol/world.ts";

export type AuditOperation =
  | "acquire"
  | "release"
  | "reclaim"
  | "break"
  | "loss"
  | "timeout"
  | "clean"
  | "migrate"
  | "freeze"
  | "thaw";

/** The writer of an audit line: the fields that the lock policy asks for in each. */
export interface Auditor {
  readonly user: string;
  readonly pid: number;
}

/** An audit line: one JSON object, as the lock policy has it. */
function auditLine(
  auditor: Auditor,
  now: number,
  operation: AuditOperation,
  lockPath: string,
  details: Record<string, unknown>,
): string {
  const timestamp = new Date(now).toISOString();
  return `${JSON.stringify({ timestamp, operation, lockPath, details, user: auditor.user, pid: auditor.pid })}\n`;
}

export function* record(
  place: Place,
  auditor: Auditor,
  operation: AuditOperation,
  lockPath: string,
  details: Record<string, unknown>,
): Steps<void> {
  const now = yield* step("now");
  yield* step("append", place.audit, auditLine(auditor, now, operation, lockPath, details));
}
