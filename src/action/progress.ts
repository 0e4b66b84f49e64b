import { formatDuration } from "../lock/duration.ts";
import type { Holder, Progress } from "../lock/store.ts";

/** Where nothing changes, a line comes at least this often. */
const REPEAT_MS = 30_000;

/** One line when something changes, and one every 30 s; not one a second. */
export class ProgressLines {
  readonly #write: (line: string) => void;
  #last = "";
  #lastAt = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  show(progress: { readonly line: string; readonly subject: string }, now = Date.now()): void {
    if (progress.subject === this.#last && now - this.#lastAt < REPEAT_MS) return;
    this.#last = progress.subject;
    this.#lastAt = now;
    this.#write(progress.line);
  }
}

/** What is said about a waiting claim; `subject` is what makes it worth saying again. */
export function describeProgress(
  key: string,
  progress: Progress,
  now: number,
): { line: string; subject: string } {
  const place = `${ordinal(progress.position)} in line`;
  const holders = progress.holders.map((holder) => describeHolder(holder, now)).join(", ");
  const held = holders === "" ? "about to be free" : `held by ${holders}`;
  const trouble = progress.trouble === undefined ? "" : `; ${progress.trouble}`;
  const who = progress.holders.map((holder) => `${holder.owner} ${holder.since}`).join();
  return {
    line: `holdfast: waiting for ${key}: ${place}; ${held}${trouble}`,
    subject: `${progress.position} ${who} ${trouble}`,
  };
}

function describeHolder(holder: Holder, now: number): string {
  const since =
    holder.since === null
      ? ""
      : ` for ${formatDuration(Math.max(0, now - Date.parse(holder.since)))}`;
  const note = holder.note ? ` (${holder.note})` : "";
  const url = typeof holder.metadata.run_url === "string" ? `, ${holder.metadata.run_url}` : "";
  return `${holder.owner}${note}${since}${url}`;
}

export function ordinal(position: number): string {
  const lastTwo = position % 100;
  const suffix =
    lastTwo >= 11 && lastTwo <= 13 ? "th" : (["th", "st", "nd", "rd"][position % 10] ?? "th");
  return `${position}${suffix}`;
}
