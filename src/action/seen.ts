import { LockError } from "../lock/errors.ts";
import { quote, withoutPassword } from "../lock/text.ts";
import type { ReadInput } from "./inputs.ts";

/** The inputs that decide what is locked, as the workflow gave them. */
export type SeenInputs = Readonly<Record<(typeof DECIDING)[number], string>>;
const DECIDING = [
  "key",
  "store",
  "slots",
  "weight",
  "resources",
  "enabled",
  "mode",
  "until",
] as const;

/** The deciding inputs as this stage sees them. */
export function seenInputs(read: ReadInput): SeenInputs {
  const seen = Object.fromEntries(DECIDING.map((name) => [name, read(name)])) as SeenInputs;
  // It is saved for main, and a password is not.
  return { ...seen, store: withoutPassword(seen.store) };
}

/**
 * Throws if main sees another value of a deciding input than pre did. An expression over an earlier step is
 * empty before that step has run: the job would go on with the wrong lock, or with none.
 */
export function checkSeenInputs(inPre: SeenInputs, read: ReadInput): void {
  const now = seenInputs(read);
  const changed = DECIDING.find((name) => now[name] !== inPre[name]);
  if (changed === undefined) return;
  throw new LockError(
    "BAD_OPTION",
    `Input ${changed} is ${quote(now[changed])} at this step and was ${quote(inPre[changed])} before the job's first step, when the lock was claimed: with an input that depends on an earlier step, set stage: main.`,
  );
}
