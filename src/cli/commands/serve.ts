import { LockError } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";
import {
  environmentName,
  parseServerOptions,
  SERVER_OPTIONS,
  type ServerOptionName,
} from "../../server/options.ts";
import type { RunningServer } from "../../server/serve.ts";
import { type CommandFacts, DONE_OR_FAILED, type Option } from "../facts.ts";
import { helpOf } from "../help-text.ts";
import { suggest } from "../suggest.ts";
import { VERSION } from "../version.ts";

const NAMES = Object.keys(SERVER_OPTIONS) as ServerOptionName[];

export const serveFacts: CommandFacts = {
  name: "serve",
  summary: "Runs a lock server: dflockd's protocol, HTTP, and a page",
  usage: "[options]",
  about: [
    `Each option can also be an environment variable (--max-waiters is ${environmentName("max-waiters")}); the flag wins. Switches also as --name=false.`,
    "It prints the address on stdout once it accepts connections, and its log on stderr. SIGTERM and SIGINT stop it: those who wait are sent home, holders have until the shutdown timeout; a second signal ends it at once.",
  ],
  takes: "nothing",
  options: NAMES.map(describe),
  examples: [
    { line: "holdfast serve", says: "for this machine alone" },
    {
      line: "holdfast serve --host 0.0.0.0 --auth-token-file /etc/holdfast/token --tls-cert cert.pem --tls-key key.pem",
      says: "for a network",
    },
  ],
  exitCodes: DONE_OR_FAILED,
};

function describe(name: ServerOptionName): Option {
  const { default: fallback, value, help } = SERVER_OPTIONS[name];
  return {
    name,
    says: help,
    ...(value === null ? {} : { value }),
    ...(fallback === null ? {} : { default: fallback }),
  };
}

export interface ServeIo {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Runs until it is told to stop. A LockError that it throws is reported by the caller. */
export async function serveCommand(args: readonly string[], io: ServeIo): Promise<number> {
  const flags = readFlags(args);
  if (flags.help !== undefined) {
    io.stdout.write(helpOf(serveFacts));
    return 0;
  }
  if (flags.version !== undefined) {
    io.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const { quiet, json: _, ...server } = flags;
  const options = parseServerOptions({ flags: server, env: io.env });
  const logLevel = quiet === undefined ? options.logLevel : "warn";
  // The server's code is loaded only here: every other command does without it.
  const { serve } = await import("../../server/serve.ts");
  await untilSignal(() => serve({ ...options, logLevel }, { ...io, version: VERSION }));
  return 0;
}

/** Listens for signals first: one that comes as soon as the server says that it listens is not lost. */
async function untilSignal(start: () => Promise<RunningServer>): Promise<void> {
  const signals = ["SIGTERM", "SIGINT"] as const;
  const { promise: stopped, resolve, reject } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<RunningServer>();
  const stop = () => started.promise.then((server) => server.stop()).then(resolve, reject);
  for (const signal of signals) process.on(signal, stop);
  try {
    started.resolve(await start());
    await stopped;
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

const SHORT: Readonly<Record<string, string>> = { "-h": "help", "-V": "version", "-q": "quiet" };
const SWITCHES = [
  "help",
  "version",
  "quiet",
  "json",
  ...NAMES.filter((name) => SERVER_OPTIONS[name].value === null),
];

/** `--name value`, `--name=value`; for switches `--name`, `--name=false` and `--no-name`. */
function readFlags(args: readonly string[]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] as string;
    const { name, value } = split(argument);
    if (SWITCHES.includes(name)) flags[name] = value ?? "true";
    else if (name.startsWith("no-") && SWITCHES.includes(name.slice(3)) && value === null) {
      flags[name.slice(3)] = "false";
    } else if (!(NAMES as string[]).includes(name)) {
      throw unknown(argument, name);
    } else {
      if (value === null) index += 1;
      const given = value ?? args[index];
      if (given === undefined)
        throw new LockError("BAD_OPTION", `The option --${name} needs a value.`);
      flags[name] = given;
    }
  }
  return flags;
}

function split(argument: string): { name: string; value: string | null } {
  const short = SHORT[argument];
  if (short !== undefined) return { name: short, value: null };
  if (!argument.startsWith("--")) return { name: "", value: null };
  const middle = argument.indexOf("=");
  if (middle === -1) return { name: argument.slice(2), value: null };
  return { name: argument.slice(2, middle), value: argument.slice(middle + 1) };
}

/** The value is not shown: it may be a token. */
function unknown(argument: string, name: string): LockError {
  if (name === "") {
    return new LockError(
      "BAD_OPTION",
      `The argument ${quote(argument)} is not an option: serve takes options only.`,
    );
  }
  const meant = suggest(name, [...NAMES, ...SWITCHES]);
  const advice = meant === null ? "see holdfast serve --help" : `did you mean --${meant}?`;
  return new LockError(
    "BAD_OPTION",
    `The option ${quote(`--${name}`)} is not known: ${advice}${meant === null ? "." : ""}`,
  );
}
