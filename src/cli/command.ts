import { type Input, parseArguments } from "./arguments.ts";
import type { CommandFacts } from "./facts.ts";
import { helpOf } from "./help-text.ts";
import type { Io } from "./io.ts";
import { jsonText } from "./output.ts";
import { VERSION } from "./version.ts";

export interface Command extends CommandFacts {
  /** Resolves to the exit code. A LockError that it throws is reported by the caller. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** A command from its facts and what it does with a command line that was found to be in order. */
export function defineCommand(
  facts: CommandFacts,
  act: (input: Input, io: Io) => Promise<number>,
): Command {
  return {
    ...facts,
    async run(args, io) {
      const input = parseArguments(facts, args, io.env);
      // Who asks for help gets it, whatever else is wrong with the line.
      if (input.flag("help")) {
        io.stdout.write(helpOf(facts));
        return 0;
      }
      if (input.flag("version")) return printVersion(input.json, io);
      input.check();
      return act(input, io);
    },
  };
}

export function printVersion(json: boolean, io: Io): number {
  io.stdout.write(json ? `${jsonText({ version: VERSION })}\n` : `${VERSION}\n`);
  return 0;
}
