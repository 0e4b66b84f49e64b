import { isLockError, LockError } from "../lock/errors.ts";
import { quote } from "../lock/text.ts";

/** Reads an input by name; empty where the step does not set it and it has no default. */
export type ReadInput = (name: string) => string;

/** Whether the action is turned on; anything but the two words is an error. */
export function isEnabled(read: ReadInput): boolean {
  return named("enabled", () => flag(read("enabled"), true));
}

/** Every sentence begins with the input that it is about. */
export function named<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!isLockError(error)) throw error;
    throw new LockError(error.code, `Input ${name}: ${error.message}`, { cause: error });
  }
}

export function flag(text: string, fallback: boolean): boolean {
  if (text === "") return fallback;
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  throw new LockError("BAD_OPTION", `${quote(text)} is neither true nor false.`);
}
