/** Every option of the server, its default and its line of help. dflockd's users know the names. */
interface OptionEntry {
  /** As one would type it; null: not set. */
  readonly default: string | null;
  /** What stands for the value in the help; null: a switch. */
  readonly value: string | null;
  readonly help: string;
}

export const SERVER_OPTIONS = {
  host: { default: "127.0.0.1", value: "ADDRESS", help: "address to listen on" },
  port: { default: "6388", value: "PORT", help: "port to listen on; 0 takes a free one" },
  "http-port": {
    default: null,
    value: "PORT",
    help: "port for HTTP: the API and the page; 0 takes a free one",
  },
  data: { default: null, value: "FILE", help: "keeps locks, sessions and files over a restart" },
  "auth-token-file": {
    default: null,
    value: "FILE",
    help: "clients must show the token in this file",
  },
  "auth-token": { default: null, value: "TOKEN", help: "the same, but seen in the process list" },
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
  "max-connections": { default: "0", value: "N", help: "connections at once; 0: no limit" },
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

/** What the user said. Flags without their dashes; a switch is "true" or "false". */
export interface OptionSource {
  readonly flags: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** `--max-waiters` is `HOLDFAST_MAX_WAITERS`. */
export function environmentName(name: ServerOptionName): string {
  return `HOLDFAST_${name.toUpperCase().replaceAll("-", "_")}`;
}

/** An empty variable counts as not set: that is how one unsets it in most CI systems. */
export function optionText({ flags, env }: OptionSource, name: ServerOptionName): string | null {
  const flag = flags[name];
  if (flag !== undefined) return flag;
  const variable = env[environmentName(name)];
  return variable === undefined || variable.trim() === "" ? null : variable;
}
