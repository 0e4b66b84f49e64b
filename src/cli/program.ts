import { LockError } from "../lock/errors.ts";
import { firstWord, parseArguments, splitAtDashes } from "./arguments.ts";
import { printVersion } from "./command.ts";
import { COMMON_OPTIONS, type CommandFacts } from "./facts.ts";
import { overview } from "./help-text.ts";
import { flushed, type Io, systemIo } from "./io.ts";
import { asLockError, exitCodeOf, reportError, reportJson } from "./report.ts";
import { COMMANDS, findCommand } from "./table.ts";

/** The real program; main.ts loads it once it knows that this Node will do. */
export async function main(): Promise<void> {
  hideSqliteWarning();
  const args = process.argv.slice(2);
  const io = systemIo();
  // Whatever escapes from a timer or an event; a command that runs under the lock keeps it held.
  process.on("uncaughtException", (error) => process.exit(failure(error, args, io)));
  const code = await holdfast(args, io);
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

/** Runs one command line. Resolves to the exit code, whatever happens. */
export async function holdfast(args: readonly string[], io: Io): Promise<number> {
  try {
    const place = placeOfCommand(args);
    if (place === -1) return withoutCommand(args, io);
    return await findCommand(args[place] as string).run(args.toSpliced(place, 1), io);
  } catch (error) {
    return failure(error, args, io);
  }
}

/** Says what went wrong; gives the exit code for it. */
function failure(thrown: unknown, args: readonly string[], io: Io): number {
  const error = asLockError(thrown);
  reportError(error, io, splitAtDashes(args).before.includes("--json"));
  return exitCodeOf(error.code, args[placeOfCommand(args)] ?? null);
}

function placeOfCommand(args: readonly string[]): number {
  return firstWord([...COMMON_OPTIONS, ...COMMANDS.flatMap(({ options }) => options)], args);
}

function withoutCommand(args: readonly string[], io: Io): number {
  const input = parseArguments(NO_COMMAND, args, io.env);
  if (input.flag("version")) return printVersion(input.json, io);
  if (input.flag("help")) {
    io.stdout.write(overview(COMMANDS));
    return 0;
  }
  input.check();
  io.stderr.write(overview(COMMANDS));
  if (input.json) reportJson(new LockError("BAD_COMMAND", "The command is missing."), io);
  return 2;
}

const NO_COMMAND: CommandFacts = {
  name: "COMMAND",
  summary: "",
  usage: "[options] KEY …",
  takes: "nothing",
  options: [],
  examples: [],
  exitCodes: [],
};

/** Earlier versions of Node 24 call node:sqlite experimental, once in each process, on stderr. */
function hideSqliteWarning(): void {
  const emit = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emit(warning, ...rest);
  }) as typeof process.emitWarning;
}
