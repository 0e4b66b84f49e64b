import type { Party } from "./claim.ts";

/** Digits of a session's digest that are shown: enough to tell sessions apart. */
const SHOWN_DIGITS = 12;

/**
 * What a session is called by others. Its id is a secret of 256 bits and opens everything that it
 * holds; a few digits of the digest lead back to nothing.
 */
export function sessionName(digest: string): string {
  return `session-${digest.slice(0, SHOWN_DIGITS)}`;
}

/** The owner, and which of the owner's sessions it is. */
export function publicName({ introduction, session, id }: Party): string {
  if (session === null) return introduction?.owner.id ?? `connection-${id}`;
  const name = sessionName(session);
  if (introduction === null || introduction.owner.id === name) return name;
  return `${introduction.owner.id}#${session.slice(0, SHOWN_DIGITS)}`;
}
