import { isStuck } from "../../forecast/turn.ts";
import { pictureOf, type Self, waitingInLine, waitingOnTerminal } from "../../forecast/words.ts";
import type { Progress } from "../../lock/store.ts";
import { showable } from "../../lock/text.ts";
import type { Io, Output } from "../io.ts";
import { screenOf, widthOf, wrapped } from "../screen.ts";

/** Without a terminal: how often a line is printed though nothing has changed. */
const REPEAT_MS = 30_000;
/** On a terminal: how often the line is redrawn with the present times. */
const REDRAW_MS = 1_000;

const UP = "\u001b[A";
const CLEAR = "\r\u001b[J";
const HEAD = "holdfast: ";

export interface WaitingLineOptions {
  readonly env: Io["env"];
  /** Milliseconds that the claim is ready to wait; null: without limit. */
  readonly limit?: number | null;
  /** The command that tells more. */
  readonly look?: () => string;
}

/**
 * Tells people how a waiting claim stands: on a terminal one live line, or two where one is too short
 * for it, else now and then a line.
 */
export class WaitingLine {
  readonly #key: string;
  readonly #output: Output;
  readonly #options: WaitingLineOptions;
  readonly #live: boolean;
  readonly #startedAt = Date.now();
  #progress: Progress | null = null;
  #troubledSince: number | null = null;
  #last = "";
  /** How many lines are drawn on the terminal. */
  #drawn = 0;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(key: string, output: Output, options: WaitingLineOptions) {
    this.#key = key;
    this.#output = output;
    this.#options = options;
    this.#live = output.isTerminal && options.env.TERM !== "dumb";
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
    if (this.#live && this.shown) this.#output.write(this.#cleared());
  }

  #draw(): void {
    const progress = this.#progress;
    if (progress === null) return;
    const now = Date.now();
    if (this.#live) this.#redraw(progress, now);
    else this.#output.write(`${waitingText(this.#key, progress, now, this.#self())}\n`);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#draw(), this.#live ? REDRAW_MS : REPEAT_MS).unref();
  }

  /** Draws over the lines that were drawn before. So no line may be so long that the terminal breaks it. */
  #redraw(progress: Progress, now: number): void {
    const screen = screenOf(this.#output, this.#options.env);
    const room = Math.max(1, (screen.columns ?? 0) - HEAD.length);
    const fits = (line: string) => widthOf(line) <= room;
    const lines = waitingOnTerminal(this.#key, progress, now, this.#self(), fits)
      .flatMap((line) => wrapped(showable(line), room))
      .map((line, place) => `${place === 0 ? HEAD : " ".repeat(HEAD.length)}${line}`);
    // Yellow, where something is wrong: trouble, or a holder that may be stuck.
    const isWrong = progress.trouble !== undefined || isStuck(progress, now);
    const colour = isWrong ? "yellow" : undefined;
    const text = lines.map((line) => screen.paint(line, colour)).join("\r\n");
    this.#output.write(this.#cleared() + text);
    this.#drawn = lines.length;
  }

  #cleared(): string {
    return UP.repeat(Math.max(0, this.#drawn - 1)) + CLEAR;
  }

  #self(): Self | null {
    const { limit, look } = this.#options;
    if (limit === undefined || look === undefined) return null;
    const now = Date.now();
    const troubled = this.#troubledSince === null ? 0 : now - this.#troubledSince;
    return { waited: now - this.#startedAt, limit, troubled, look: look() };
  }
}

export function waitingText(
  key: string,
  progress: Progress,
  now: number,
  self: Self | null = null,
): string {
  return showable(`${HEAD}${waitingInLine(key, progress, now, self)}`);
}

/** The waiting line of a command, with what it knows of its claim. */
export function openWaitingLine(
  key: string,
  timeout: number | null,
  look: () => string,
  io: Pick<Io, "stderr" | "env">,
): WaitingLine {
  return new WaitingLine(key, io.stderr, { env: io.env, limit: timeout, look });
}
