import type { LockError } from "../../../lock/errors.ts";
import { aligned, type Screen } from "../../screen.ts";

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

/** All findings, a line each: what is to be done stands out. */
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
