import { isStuck, pictureOf, type Self, waitingInLine } from "../../forecast/words.ts";
import type { Progress } from "../../lock/store.ts";
import { showable } from "../../lock/text.ts";
import type { Io, Output } from "../io.ts";
import { cutToColumns } from "../output.ts";

/** Without a terminal: how often something is said though nothing has changed. */
const REPEAT_MS = 30_000;
/** On a terminal: how often the held-for time moves on. */
const REDRAW_MS = 1_000;

const CLEAR_LINE = "\r\u001b[K";
const YELLOW = "\u001b[33m";
const PLAIN = "\u001b[0m";

export interface WaitingLineOptions {
  /** The terminal cannot move its cursor. */
  readonly dumb: boolean;
  /** Whether to colour the line, on a terminal. Default false. */
  readonly colour?: boolean;
  /** Milliseconds that the claim is ready to wait; null: without limit. */
  readonly limit?: number | null;
  /** The command that tells more. */
  readonly look?: () => string;
}

/** Tells people how a waiting claim stands: one live line on a terminal, else now and then a line. */
export class WaitingLine {
  readonly #key: string;
  readonly #output: Output;
  readonly #options: WaitingLineOptions;
  readonly #live: boolean;
  readonly #startedAt = Date.now();
  #progress: Progress | null = null;
  #troubledSince: number | null = null;
  #last = "";
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(key: string, output: Output, options: WaitingLineOptions) {
    this.#key = key;
    this.#output = output;
    this.#options = options;
    this.#live = output.isTerminal && !options.dumb;
  }

  /** Whether anything was said. */
  get shown(): boolean {
    return this.#progress !== null;
  }

  readonly update = (progress: Progress): void => {
    if (this.#ended) return;
    this.#progress = progress;
    this.#troubledSince =
      progress.trouble === undefined ? null : (this.#troubledSince ?? Date.now());
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
    const line = waitingText(this.#key, this.#progress, Date.now(), this.#self());
    // The last column stays free: writing there would move some terminals to the next line.
    this.#output.write(
      this.#live
        ? `${CLEAR_LINE}${this.#coloured(cutToColumns(line, this.#output.columns() - 1))}`
        : `${line}\n`,
    );
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), this.#live ? REDRAW_MS : REPEAT_MS).unref();
  }

  #self(): Self | null {
    const { limit, look } = this.#options;
    if (limit === undefined || look === undefined) return null;
    const now = Date.now();
    const troubled = this.#troubledSince === null ? 0 : now - this.#troubledSince;
    return { waited: now - this.#startedAt, limit, troubled, look: look() };
  }

  /** Yellow, where something is wrong: trouble, or a holder that may be stuck. */
  #coloured(line: string): string {
    const progress = this.#progress;
    if (this.#options.colour !== true || progress === null) return line;
    const isWrong = progress.trouble !== undefined || isStuck(progress, Date.now());
    return isWrong ? `${YELLOW}${line}${PLAIN}` : line;
  }
}

export function waitingText(
  key: string,
  progress: Progress,
  now: number,
  self: Self | null = null,
): string {
  return showable(`holdfast: ${waitingInLine(key, progress, now, self)}`);
}

/** The waiting line of a command, with what it knows of its claim. */
export function openWaitingLine(
  key: string,
  timeout: number | null,
  look: () => string,
  io: Pick<Io, "stderr" | "env">,
): WaitingLine {
  const dumb = io.env.TERM === "dumb";
  const colour = !dumb && !io.env.NO_COLOR;
  return new WaitingLine(key, io.stderr, { dumb, colour, limit: timeout, look });
}
