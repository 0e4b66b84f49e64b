import { type ErrorCode, LockError, messageOf } from "../lock/errors.ts";
import type { Io } from "./io.ts";
import { jsonText, showable } from "./output.ts";

/** A reason as the end of a sentence: some are whole ones already. */
export function sentence(reason: string): string {
  return reason.endsWith(".") ? reason : `${reason}.`;
}

/** One line for people, beside whatever stdout carries. */
export function say(io: Io, sentence: string): void {
  io.stderr.write(`holdfast: ${showable(sentence)}\n`);
}

export function reportError(error: LockError, io: Io, json: boolean): void {
  say(io, error.message);
  if (json) reportJson(error, io);
}

export function reportJson(error: LockError, io: Io): void {
  io.stdout.write(`${jsonText({ error: { code: error.code, message: error.message } })}\n`);
}

/** Whatever is not a LockError is a fault of Holdfast's own, and says so. */
export function asLockError(error: unknown): LockError {
  if (error instanceof LockError) return error;
  return new LockError("INTERNAL", `internal error: ${messageOf(error)}`, { cause: error });
}

/** As timeout(1) and env(1) do: below 123 is the command's own. */
const RUN_CODES: Partial<Record<ErrorCode, number>> = {
  LOCK_LOST: 123,
  TIMEOUT: 124,
  COMMAND_NOT_RUNNABLE: 126,
  COMMAND_NOT_FOUND: 127,
};
const RUN_FAILED = 125;

const NO: readonly ErrorCode[] = ["TIMEOUT", "LOCK_LOST"];

export function exitCodeOf(code: ErrorCode, command: string | null): number {
  if (command === "run") return RUN_CODES[code] ?? RUN_FAILED;
  return NO.includes(code) ? 1 : 2;
}
