import { LOG_FORMATS, LOG_LEVELS } from "../../server/log.ts";
import {
  environmentName,
  parseServerOptions,
  SERVER_OPTIONS,
  type ServerOptionName,
} from "../../server/options.ts";
import { type Command, DONE_OR_FAILED, type Input, type Option } from "../command.ts";
import { VERSION } from "../help-text.ts";
import { untilSignal } from "../until-signal.ts";

const CHOICES: Record<string, readonly string[]> = {
  "log-level": LOG_LEVELS,
  "log-format": LOG_FORMATS,
};

const NAMES = Object.keys(SERVER_OPTIONS) as ServerOptionName[];

export const serveCommand: Command = {
  name: "serve",
  summary: "Runs a lock server: dflockd's protocol, HTTP, and a page",
  usage: "[options]",
  about: [
    `Each option can also be an environment variable (--max-waiters is ${environmentName("max-waiters")}); the flag wins. Switches also as --name=false.`,
    "It prints the address on stdout once it accepts connections, and its log on stderr. SIGTERM and SIGINT (on Windows Ctrl-C and Ctrl-Break) stop it: waiting claims are sent away, holders have until the shutdown timeout; a second signal ends it at once. SIGHUP has the file of --policy read anew.",
  ],
  takes: "nothing",
  usesStore: false,
  options: NAMES.map(describe),
  examples: [
    { line: "holdfast serve", says: "for this machine alone" },
    {
      line: "holdfast serve --host 0.0.0.0 --auth-token-file /etc/holdfast/token --tls-cert cert.pem --tls-key key.pem",
      says: "for a network",
    },
  ],
  exitCodes: DONE_OR_FAILED,
  /** Runs until it is told to stop. */
  async act(input, io) {
    const options = parseServerOptions({ flags: flagsOf(input), env: io.env });
    const logLevel = input.quiet ? "warn" : options.logLevel;
    // The server's code is loaded only here: every other command does without it.
    const { serve } = await import("../../server/serve.ts");
    const start = () => serve({ ...options, logLevel }, { ...io, version: VERSION });
    await untilSignal(start, io.env, options.policyFile !== null);
    return 0;
  },
};

function describe(name: ServerOptionName): Option {
  const { default: fallback, value, help } = SERVER_OPTIONS[name];
  return {
    name,
    says: help,
    ...(value === null ? { isSwitch: true } : { value }),
    ...(fallback === null ? {} : { default: fallback }),
    ...(Object.hasOwn(CHOICES, name) ? { choices: CHOICES[name] as readonly string[] } : {}),
  };
}

function flagsOf(input: Input): Record<string, string> {
  const given = NAMES.map((name) => [name, input.text(name)] as const);
  return Object.fromEntries(
    given.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
  );
}
