import type { Fields } from "../remote/fields.ts";

/** Words of a claim that older servers do not know, and what such a server lacks. */
export const LATER_WORDS = {
  weight: "no weights of claims",
  priority: "no priorities",
  resources: "no names of slots",
  ready: "no places in line for claims that are not ready",
} as const;
export type LaterWord = keyof typeof LATER_WORDS;

/** `terms`: the parameters of an acquire. */
export function laterWordsOf(terms: object): LaterWord[] {
  return (Object.keys(LATER_WORDS) as LaterWord[]).filter((word) => word in terms);
}

/** Whether a server that tells its words has all of these. */
export function knowsLaterWords(known: readonly unknown[]): boolean {
  return Object.keys(LATER_WORDS).every((word) => known.includes(word));
}

/** The words of a claim that its server does not say it has heeded. */
export function ignoredIn(body: Fields, terms: object): LaterWord[] {
  const heeded = Array.isArray(body.heeded) ? body.heeded : [];
  return laterWordsOf(terms).filter((word) => !heeded.includes(word));
}
