import { LockError } from "../lock/errors.ts";
import { hasControl, quote } from "../lock/text.ts";
import { TIMER_LIMIT_MS } from "../lock/time.ts";
import { LINE_LIMIT } from "../wire/request.ts";
import { LOG_FORMATS, LOG_LEVELS, type LogFormat, type LogLevel } from "./log.ts";

/** An option of the server: its default and its line of help. */
interface OptionEntry {
  /** As one would type it; null: not set. */
  readonly default: string | null;
  /** What stands for the value in the help; null: a switch. */
  readonly value: string | null;
  readonly help: string;
}

/** Every option of the server, under the names that dflockd's users know. */
export const SERVER_OPTIONS = {
  host: { default: "127.0.0.1", value: "ADDRESS", help: "address to listen on" },
  port: { default: "6388", value: "PORT", help: "port to listen on; 0 takes a free one" },
  "http-port": {
    default: null,
    value: "PORT",
    help: "port for HTTP: the API and the page; 0 takes a free one",
  },
  data: {
    default: null,
    value: "FILE",
    help: "keeps locks, freezes, sessions and files over a restart",
  },
  "auth-token-file": {
    default: null,
    value: "FILE",
    help: "clients must show the token in this file",
  },
  "read-token-file": {
    default: null,
    value: "FILE",
    help: "the token in this file may look at locks and metrics, and change nothing",
  },
  "auth-token": {
    default: null,
    value: "TOKEN",
    help: "as --auth-token-file, but seen in the process list",
  },
  policy: {
    default: null,
    value: "FILE",
    help: "lets jobs in by the ID token that their CI signs, as this file says; needs --http-port",
  },
  "github-app": {
    default: null,
    value: "FILE",
    help: "lets runs wait for locks at GitHub, without a runner, as this file says; needs --http-port and --data",
  },
  "tls-cert": {
    default: null,
    value: "FILE",
    help: "certificate (PEM); then all connections use TLS",
  },
  "tls-key": { default: null, value: "FILE", help: "its private key (PEM)" },
  "default-lease-ttl": {
    default: "33",
    value: "SECONDS",
    help: "lease of requests that name none",
  },
  "lease-sweep-interval": {
    default: "1",
    value: "SECONDS",
    help: "how often expired leases are ended",
  },
  "gc-interval": { default: "5", value: "SECONDS", help: "how often idle keys are forgotten" },
  "gc-max-idle": { default: "60", value: "SECONDS", help: "how long an idle key is remembered" },
  "max-locks": { default: "1024", value: "N", help: "keys at once; 0: no limit" },
  "max-waiters": { default: "0", value: "N", help: "waiters of one key; 0: no limit" },
  "max-connections": {
    default: "0",
    value: "N",
    help: "connections of a door at once; 0: for both doors as many as there are file descriptors, less 64",
  },
  "max-sessions": { default: "10000", value: "N", help: "HTTP sessions at once; 0: no limit" },
  "max-body": { default: "16777216", value: "BYTES", help: "largest file over HTTP" },
  "read-timeout": {
    default: "23",
    value: "SECONDS",
    help: "a client silent for longer is cut off",
  },
  "write-timeout": {
    default: "5",
    value: "SECONDS",
    help: "so is one that does not read; 0: never",
  },
  "shutdown-timeout": {
    default: "30",
    value: "SECONDS",
    help: "time for holders to end; 0: for ever",
  },
  "auto-release-on-disconnect": {
    default: "true",
    value: null,
    help: "free what a closed connection held; else when its lease ends",
  },
  "log-level": { default: "info", value: "LEVEL", help: "debug, info, warn or error" },
  "log-format": { default: "text", value: "FORMAT", help: "text or json" },
  insecure: { default: "false", value: null, help: "listen beyond this machine without a token" },
} as const satisfies Record<string, OptionEntry>;

export type ServerOptionName = keyof typeof SERVER_OPTIONS;

/** Where options come from: flags without their dashes, a switch as "true" or "false", and variables. */
export interface OptionSource {
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The variable of an option: `--max-waiters` is `HOLDFAST_MAX_WAITERS`. */
export function environmentName(name: ServerOptionName): string {
  return `HOLDFAST_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** The text of an option, null where it is not set. An empty variable counts as not set, as CI systems unset it. */
function optionText({ flags, env }: OptionSource, name: ServerOptionName): string | null {
  const flag = flags[name];
  if (flag !== undefined) return flag;
  const variable = env[environmentName(name)];
  return variable === undefined || variable.trim() === "" ? null : variable;
}

/** How the server is to run. Times are in milliseconds, but for the lease, which the wire counts in seconds. */
export interface ServerOptions {
  readonly host: string;
  readonly port: number;
  /** Null: no HTTP. */
  readonly httpPort: number | null;
  /** Null: nothing is written. */
  readonly data: string | null;
  readonly secret: string | null;
  readonly secretFile: string | null;
  /** The file of the secret with which one may only look. */
  readonly readSecretFile: string | null;
  /** The file that says which jobs may do what. */
  readonly policyFile: string | null;
  /** The file that says for which environments this server is the gate. */
  readonly githubAppFile: string | null;
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

/** Reads all options: flags win over the environment, that over the defaults. Throws BAD_OPTION. */
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
    secret: read.secret("auth-token"),
    secretFile: read.text("auth-token-file"),
    readSecretFile: read.text("read-token-file"),
    policyFile: read.text("policy"),
    githubAppFile: read.text("github-app"),
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
  if (options.secret !== null && options.secretFile !== null) {
    throw bad("--auth-token-file", "cannot be combined with --auth-token", "give one of the two");
  }
  if (options.policyFile !== null && options.httpPort === null) {
    throw bad(
      "--policy",
      "stands without --http-port, and an ID token does not fit into a line of TCP's protocol",
      "give --http-port too",
    );
  }
  if (options.githubAppFile !== null && options.httpPort === null) {
    throw bad(
      "--github-app",
      "stands without --http-port, so that GitHub can tell it nothing",
      "give --http-port too",
    );
  }
  if (options.githubAppFile !== null && options.data === null) {
    throw bad(
      "--github-app",
      "stands without --data, and a restart would forget which runs wait at GitHub",
      "give --data too",
    );
  }
  if (options.readSecretFile !== null && options.secret === null && options.secretFile === null) {
    throw bad(
      "--read-token-file",
      "stands without --auth-token-file, so that everybody may do everything",
      "give both, or neither",
    );
  }
  return options;
}

/** The largest --max-body: a file is held in memory while it is written. */
const BODY_LIMIT = 2 ** 30;

/** The shortest interval: a shorter one would only keep the machine busy. */
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

  /** Reads a secret. It is never shown, also where it is refused. */
  secret(name: ServerOptionName): string | null {
    const text = optionText(this.#source, name);
    return text === null ? null : checkSecret(text, `--${name}`);
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

  /** Reads plain seconds, as dflockd's users know them, as milliseconds. */
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

/** Checks a secret: one that no client can send would lock out all of them. */
export function checkSecret(text: string, name: string): string {
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
