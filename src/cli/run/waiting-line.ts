import { pictureOf, waitingInLine } from "../../forecast/words.ts";
import type { Progress } from "../../lock/store.ts";
import { showable } from "../../lock/text.ts";
import type { Output } from "../io.ts";
import { cutToColumns } from "../output.ts";

/** Without a terminal: how often something is said though nothing has changed. */
const REPEAT_MS = 30_000;
/** On a terminal: how often the held-for time moves on. */
const REDRAW_MS = 1_000;

const CLEAR_LINE = "\r\u001b[K";

/** Tells people how a waiting claim stands: one live line on a terminal, else now and then a line. */
export class WaitingLine {
  readonly #key: string;
  readonly #output: Output;
  readonly #live: boolean;
  #progress: Progress | null = null;
  #last = "";
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(key: string, output: Output, options: { dumb: boolean }) {
    this.#key = key;
    this.#output = output;
    this.#live = output.isTerminal && !options.dumb;
  }

  /** Whether anything was said. */
  get shown(): boolean {
    return this.#progress !== null;
  }

  readonly update = (progress: Progress): void => {
    if (this.#ended) return;
    this.#progress = progress;
    const picture = pictureOf(progress);
    if (!this.#live && picture === this.#last) return;
    this.#last = picture;
    this.#draw();
  };

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    if (this.#live && this.shown) this.#output.write(CLEAR_LINE);
  }

  #draw(): void {
    if (this.#progress === null) return;
    const line = waitingText(this.#key, this.#progress, Date.now());
    // The last column stays free: writing there would move some terminals to the next line.
    this.#output.write(
      this.#live ? `${CLEAR_LINE}${cutToColumns(line, this.#output.columns() - 1)}` : `${line}\n`,
    );
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), this.#live ? REDRAW_MS : REPEAT_MS).unref();
  }
}

export function waitingText(key: string, progress: Progress, now: number): string {
  return showable(`holdfast: ${waitingInLine(key, progress, now)}`);
}
