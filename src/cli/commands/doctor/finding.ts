import type { LockError } from "../../../lock/errors.ts";

/** One thing that `doctor` looked at. */
export interface Finding {
  /** What it is about, in a word or two. */
  readonly about: string;
  /** False: something is to be done. Null: it could not be found out. */
  readonly ok: boolean | null;
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** A failure whose sentence says what to do. */
export function failed(about: string, error: LockError): Finding {
  return { about, ok: false, says: error.message };
}

export function findingText({ about, ok, says, todo }: Finding): string {
  const mark = ok === null ? "?" : ok ? "ok" : "to do";
  const sentence = todo === undefined ? says : `${says.replace(/\.$/, "")}: ${todo}`;
  return `${mark.padEnd(6)} ${about.padEnd(9)} ${sentence}`;
}
