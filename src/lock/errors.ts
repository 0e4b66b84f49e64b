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
  "BAD_LINE",
  "BAD_WEIGHT",
  "BAD_PRIORITY",
  "BAD_RESOURCES",
  "BAD_RUN",
  "BAD_LOCK_FILE",
  "BAD_LEASE_FILE",
  "SLOTS_MISMATCH",
  "TIMEOUT",
  "SUPERSEDED",
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

/** A claim that still waited when a newer one with `line: newest` came. */
export class SupersededError extends LockError {
  /** The newer claim's owner, and the page of its run where there is one. */
  readonly by: string;
  readonly url: string | null;

  constructor(message: string, { by, url }: { by: string; url: string | null }) {
    super("SUPERSEDED", message);
    this.by = by;
    this.url = url;
  }
}

/** Says it in the same words for every store. `url`: the page of the newer claim's run. */
export function superseded(key: string, by: string, url: string | null): SupersededError {
  const page = url === null ? "" : ` (${url})`;
  const sentence = `${JSON.stringify(key)} was not acquired: superseded by ${by}${page}, which is newer.`;
  return new SupersededError(sentence, { by, url });
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
