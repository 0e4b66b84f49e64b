import type { LockError } from "../../../lock/errors.ts";
import { aligned, type Screen } from "../../screen.ts";

/** One thing that `doctor` checked. */
export interface Finding {
  /** What it is about, in a word or two. */
  readonly about: string;
  /** False: there is something to do. Null: `doctor` could not find out. */
  readonly ok: boolean | null;
  readonly says: string;
  /** What to do about it. */
  readonly todo?: string;
}

/** A failure whose sentence says what to do. */
export function failed(about: string, error: LockError): Finding {
  return { about, ok: false, says: error.message };
}

/** All findings, one on each line; those with something to do stand out. */
export function findingsText(findings: readonly Finding[], screen: Screen): string {
  return aligned(
    findings.map(({ about, ok, says, todo }) => [
      ok === null
        ? { text: "?    " }
        : { text: ok ? "ok   " : "to do", colour: ok ? "green" : "red" },
      { text: about.padEnd(8) },
      { text: todo === undefined ? says : `${says.replace(/\.$/, "")}: ${todo}` },
    ]),
    screen,
  );
}
