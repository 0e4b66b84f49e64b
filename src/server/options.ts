import { LockError } from "../lock/errors.ts";
import { hasControl, quote } from "../lock/text.ts";
import { TIMER_LIMIT_MS } from "../lock/time.ts";
import { LINE_LIMIT } from "../wire/request.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "./log.ts";
import {
  type OptionSource,
  optionText,
  SERVER_OPTIONS,
  type ServerOptionName,
} from "./option-table.ts";

/** How the server is to run. Times are in milliseconds, but for the lease, which the wire counts in seconds. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Null: no HTTP. */
  readonly httpPort: number | null;
  /** Null: nothing is written. */
  readonly data: string | null;
  readonly authToken: string | null;
  readonly authTokenFile: string | null;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  readonly defaultLeaseSeconds: number;
  readonly leaseSweepInterval: number;
  readonly gcInterval: number;
  readonly gcMaxIdle: number;
  readonly maxLocks: number;
  readonly maxWaiters: number;
  readonly maxConnections: number;
  readonly maxSessions: number;
  readonly maxBody: number;
  readonly readTimeout: number;
  readonly writeTimeout: number;
  readonly shutdownTimeout: number;
  readonly autoReleaseOnDisconnect: boolean;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly insecure: boolean;
  /** Sentences that the operator should read, though the server starts. */
  readonly warnings: readonly string[];
}

/** Flags win over the environment, the environment over the defaults. Throws BAD_OPTION. */
export function parseServerOptions(source: OptionSource): ServerOptions {
  for (const name of Object.keys(source.flags)) {
    if (Object.hasOwn(SERVER_OPTIONS, name)) continue;
    throw bad(`--${name}`, "is not an option of the server", "see holdfast serve --help");
  }
  const read = new OptionReader(source);
  const options: ServerOptions = {
    host: read.text("host") ?? "",
    port: read.integer("port", 0, 65_535),
    httpPort:
      optionText(source, "http-port") === null ? null : read.integer("http-port", 0, 65_535),
    data: read.text("data"),
    authToken: read.token("auth-token"),
    authTokenFile: read.text("auth-token-file"),
    tls: readTls(read),
    defaultLeaseSeconds: read.integer("default-lease-ttl", 1, Number.MAX_SAFE_INTEGER),
    leaseSweepInterval: read.seconds("lease-sweep-interval", SHORTEST_MS),
    gcInterval: read.seconds("gc-interval", SHORTEST_MS),
    gcMaxIdle: read.seconds("gc-max-idle", 0),
    maxLocks: read.integer("max-locks", 0, Number.MAX_SAFE_INTEGER),
    maxWaiters: read.integer("max-waiters", 0, Number.MAX_SAFE_INTEGER),
    maxConnections: read.integer("max-connections", 0, Number.MAX_SAFE_INTEGER),
    maxSessions: read.integer("max-sessions", 0, Number.MAX_SAFE_INTEGER),
    maxBody: read.integer("max-body", 1, BODY_LIMIT),
    readTimeout: read.seconds("read-timeout", SHORTEST_MS),
    writeTimeout: read.seconds("write-timeout", 0),
    shutdownTimeout: read.seconds("shutdown-timeout", 0),
    autoReleaseOnDisconnect: read.flag("auto-release-on-disconnect"),
    logLevel: read.choice("log-level", LOG_LEVELS),
    logFormat: read.choice("log-format", LOG_FORMATS),
    insecure: read.flag("insecure"),
    warnings:
      source.flags["auth-token"] === undefined
        ? []
        : [
            "The token of --auth-token is visible in the process list: use --auth-token-file instead.",
          ],
  };
  if (options.authToken !== null && options.authTokenFile !== null) {
    throw bad("--auth-token-file", "cannot be combined with --auth-token", "give one of the two");
  }
  return options;
}

/** A file is held in memory while it is written. */
const BODY_LIMIT = 2 ** 30;

/** Shorter intervals would only keep the machine busy. */
const SHORTEST_MS = 10;

function readTls(read: OptionReader): ServerOptions["tls"] {
  const certFile = read.text("tls-cert");
  const keyFile = read.text("tls-key");
  if (certFile === null && keyFile === null) return null;
  if (certFile === null || keyFile === null) {
    const [present, missing] = certFile === null ? ["key", "cert"] : ["cert", "key"];
    throw bad(`--tls-${present}`, `stands without --tls-${missing}`, "give both files, or neither");
  }
  return { certFile, keyFile };
}

class OptionReader {
  readonly #source: OptionSource;

  constructor(source: OptionSource) {
    this.#source = source;
  }

  text(name: ServerOptionName): string | null {
    const text = optionText(this.#source, name) ?? SERVER_OPTIONS[name].default;
    if (text !== null && (text.trim() === "" || hasControl(text))) {
      throw bad(`--${name}`, `is ${quote(text)}`, "give it a printable value");
    }
    return text;
  }

  /** Never shown, also where it is refused. */
  token(name: ServerOptionName): string | null {
    const text = optionText(this.#source, name);
    return text === null ? null : checkToken(text, `--${name}`);
  }

  integer(name: ServerOptionName, least: number, most: number): number {
    const text = (this.text(name) as string).trim();
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= least && value <= most)) {
      const range =
        most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
      throw bad(`--${name}`, `is ${quote(text)}`, `use a whole number ${range}`);
    }
    return value;
  }

  /** Plain seconds, as dflockd's users know them, in milliseconds. */
  seconds(name: ServerOptionName, least: number): number {
    const text = (this.text(name) as string).trim();
    const value = /^\d{1,9}(\.\d{1,3})?$/.test(text)
      ? Math.round(Number(text) * 1_000)
      : Number.NaN;
    if (!(value >= least && value <= TIMER_LIMIT_MS)) {
      const range = `from ${least / 1_000} to ${Math.floor(TIMER_LIMIT_MS / 1_000)}`;
      throw bad(`--${name}`, `is ${quote(text)}`, `use a number of seconds ${range}, such as 5`);
    }
    return value;
  }

  flag(name: ServerOptionName): boolean {
    const text = (this.text(name) as string).trim().toLowerCase();
    if (["true", "1", "yes", "on"].includes(text)) return true;
    if (["false", "0", "no", "off"].includes(text)) return false;
    throw bad(`--${name}`, `is ${quote(text)}`, "use true or false");
  }

  choice<T extends string>(name: ServerOptionName, choices: readonly T[]): T {
    const text = (this.text(name) as string).trim().toLowerCase();
    const choice = choices.find((one) => one === text);
    if (choice === undefined)
      throw bad(`--${name}`, `is ${quote(text)}`, `use ${choices.join(", ")}`);
    return choice;
  }
}

/** A token that no client could send would lock everybody out. */
export function checkToken(text: string, name: string): string {
  const token = text.trim();
  if (token === "") throw bad(name, "is empty", "give a token, or leave it out");
  if (hasControl(token) || Buffer.byteLength(token) > LINE_LIMIT) {
    throw bad(
      name,
      "cannot be sent by clients",
      `use one line of at most ${LINE_LIMIT} printable bytes`,
    );
  }
  return token;
}

function bad(name: string, problem: string, advice: string): LockError {
  return new LockError("BAD_OPTION", `The option ${name} ${problem}: ${advice}.`);
}
