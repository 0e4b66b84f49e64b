/**
 * Every failure that a user can meet has a code for scripts and a sentence for people. The codes
 * are listed in docs/errors.md; a test keeps that page and this list the same.
 */
export const ERROR_CODES = [
  "BAD_KEY",
  "BAD_STORE",
  "BAD_DURATION",
  "BAD_SLOTS",
  "BAD_TTL",
  "BAD_DEAD_AFTER",
  "BAD_OWNER",
  "BAD_NOTE",
  "BAD_METADATA",
  "BAD_PURPOSE",
  "BAD_ENVIRONMENT",
  "BAD_RECLAIM",
  "BAD_FORMAT",
  "BAD_OPTION",
  "BAD_COMMAND",
  "BAD_REASON",
  "BAD_LOCK_FILE",
  "BAD_LEASE_FILE",
  "SLOTS_MISMATCH",
  "TIMEOUT",
  "ABORTED",
  "LOCK_LOST",
  "STORE_UNREACHABLE",
  "STORE_UNSAFE",
  "STORE_NO_LOCKS",
  "STORE_FULL",
  "STORE_DENIED",
  "HOSTED_RUNNER",
  "STORE_REFUSED",
  "GUARD_BUSY",
  "LEASE_DIRECTORY",
  "KEEPER_GONE",
  "ALREADY_HELD",
  "NOT_SUPPORTED",
  "COMMAND_NOT_FOUND",
  "COMMAND_NOT_RUNNABLE",
  "NODE_TOO_OLD",
  "INTERNAL",
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export class LockError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "LockError";
    this.code = code;
  }
}

/** True for the codes that mean: what the caller typed is not acceptable. */
export function isBadInput(error: LockError): boolean {
  return error.code.startsWith("BAD_");
}

export function isLockError(error: unknown, code?: ErrorCode): error is LockError {
  return error instanceof LockError && (code === undefined || error.code === code);
}

/** The sentence of any thrown value, for logs and for wrapping. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The system's code of a failed call (`ENOENT`), where there is one. */
export function systemCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const code = (error as { code?: unknown }).code;
  return typeof code === "string" ? code : undefined;
}
