import { jsonText, showable } from "../lock/text.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** One line per event. Fields never hold tokens or secrets. */
export interface Logger {
  enabled(level: LogLevel): boolean;
  write(level: LogLevel, event: string, fields?: LogFields): void;
  /**
   * For what strangers can cause as often as they like: only so many lines a second for one event,
   * then the next line says how many were left out. A log that fills the disk is a way to attack.
   */
  limited(level: LogLevel, event: string, fields?: LogFields): void;
}

export interface LogOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  /** Wall clock, milliseconds. */
  readonly now: () => number;
  readonly output: (line: string) => void;
}

const LINES_PER_SECOND = 10;

export function createLogger(options: LogOptions): Logger {
  const least = LOG_LEVELS.indexOf(options.level);
  const format = options.format === "json" ? formatJson : formatText;
  const events = new Map<string, { second: number; written: number; leftOut: number }>();

  function enabled(level: LogLevel): boolean {
    return LOG_LEVELS.indexOf(level) >= least;
  }

  function write(level: LogLevel, event: string, fields: LogFields = {}): void {
    if (enabled(level)) options.output(`${format(options.now(), level, event, fields)}\n`);
  }

  function limited(level: LogLevel, event: string, fields: LogFields = {}): void {
    if (!enabled(level)) return;
    const second = Math.floor(options.now() / 1_000);
    const seen = events.get(event) ?? { second, written: 0, leftOut: 0 };
    events.set(event, seen);
    if (seen.second !== second) {
      seen.second = second;
      seen.written = 0;
    }
    if (seen.written === LINES_PER_SECOND) {
      seen.leftOut += 1;
      return;
    }
    seen.written += 1;
    write(level, event, seen.leftOut === 0 ? fields : { ...fields, left_out: seen.leftOut });
    seen.leftOut = 0;
  }

  return { enabled, write, limited };
}

function formatJson(now: number, level: LogLevel, event: string, fields: LogFields): string {
  return jsonText({ time: new Date(now).toISOString(), level, event, ...fields });
}

function formatText(now: number, level: LogLevel, event: string, fields: LogFields): string {
  let line = `${new Date(now).toISOString()} ${level.padEnd(5)} ${event}`;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    line += ` ${name}=${typeof value === "string" ? quoteWhereNeeded(value) : value}`;
  }
  return line;
}

/** Keys and owners come from outside: they must not be able to forge a line or a field, nor be a command
 * to a CI runner that prints the log. */
function quoteWhereNeeded(value: string): string {
  return /^[\w@:./+~[\]-]+$/.test(value) ? value : JSON.stringify(showable(value));
}
