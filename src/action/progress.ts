import { pictureOf, waitingInLine } from "../lock/describe.ts";
import type { Progress } from "../lock/store.ts";

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

  show(key: string, progress: Progress, now = Date.now()): void {
    const picture = pictureOf(progress);
    if (picture === this.#last && now - this.#lastAt < REPEAT_MS) return;
    this.#last = picture;
    this.#lastAt = now;
    this.#write(`holdfast: ${waitingInLine(key, progress, now)}`);
  }
}
