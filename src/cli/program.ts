import { type ErrorCode, LockError, messageOf } from "../lock/errors.ts";
import { jsonText } from "../lock/text.ts";
import { firstWord, parseArguments, splitAtDashes } from "./arguments.ts";
import { COMMON_OPTIONS, type Command, type CommandFacts, WARDEN } from "./command.ts";
import { helpJson, helpOf, overview, VERSION } from "./help-text.ts";
import { flushed, type Io, systemIo } from "./io.ts";
import { reportError, reportJson } from "./output.ts";
import { screenOf } from "./screen.ts";
import { allCommands, findCommand, isCommand } from "./table.ts";

/** The real program; main.ts loads it once it knows that this Node will do. */
export async function main(): Promise<void> {
  hideSqliteWarning();
  const args = process.argv.slice(2);
  if (args[0] === WARDEN) {
    await (await import("./run/warden.ts")).beWarden(Number(args[1]));
    process.exit(0);
  }
  const io = systemIo();
  // Errors that a timer or an event throws. A command that runs under the lock keeps it held.
  process.on("uncaughtException", async (error) => process.exit(await failure(error, args, io)));
  const code = await holdfast(args, io);
  await Promise.all([flushed(process.stdout), flushed(process.stderr)]);
  process.exit(code);
}

/** Runs one command line. Resolves to the exit code, whatever happens. */
export async function holdfast(args: readonly string[], io: Io): Promise<number> {
  try {
    const place = await placeOfCommand(args);
    if (place === -1) return await withoutCommand(args, io);
    return await perform(await findCommand(args[place] as string), args.toSpliced(place, 1), io);
  } catch (error) {
    return failure(error, args, io);
  }
}

async function perform(command: Command, args: readonly string[], io: Io): Promise<number> {
  const input = parseArguments(command, args, io.env);
  // Help is shown even if something else on the line is wrong.
  if (input.flag("help")) {
    io.stdout.write(
      input.json ? helpJson([command]) : helpOf(command, screenOf(io.stdout, io.env)),
    );
    return 0;
  }
  if (input.flag("version")) return printVersion(input.json, io);
  input.check();
  return command.act(input, io);
}

/** Says what went wrong; gives the exit code for it. */
async function failure(thrown: unknown, args: readonly string[], io: Io): Promise<number> {
  const error = asLockError(thrown);
  reportError(error, io, splitAtDashes(args).before.includes("--json"));
  return exitCodeOf(error.code, args[await placeOfCommand(args)] ?? null);
}

/** An error that is no LockError is a bug of Holdfast, and the message says so. */
function asLockError(error: unknown): LockError {
  if (error instanceof LockError) return error;
  return new LockError("INTERNAL", `internal error: ${messageOf(error)}`, { cause: error });
}

/** As timeout(1) and env(1) do: below 123 is the command's own. */
const RUN_CODES: Partial<Record<ErrorCode, number>> = {
  LOCK_LOST: 123,
  TIMEOUT: 124,
  SUPERSEDED: 124,
  COMMAND_NOT_RUNNABLE: 126,
  COMMAND_NOT_FOUND: 127,
};
const RUN_FAILED = 125;

const NO: readonly ErrorCode[] = ["TIMEOUT", "SUPERSEDED", "LOCK_LOST"];

export function exitCodeOf(code: ErrorCode, command: string | null): number {
  if (command === "run") return RUN_CODES[code] ?? RUN_FAILED;
  return NO.includes(code) ? 1 : 2;
}

/** Where a command's own options stand before its name, all commands are loaded to tell values from it. */
async function placeOfCommand(args: readonly string[]): Promise<number> {
  if (isCommand(args[0] ?? "")) return 0;
  const { place, sure } = firstWord(COMMON_OPTIONS, args);
  if (sure) return place;
  const options = (await allCommands()).flatMap((command) => command.options);
  return firstWord([...COMMON_OPTIONS, ...options], args).place;
}

async function withoutCommand(args: readonly string[], io: Io): Promise<number> {
  const input = parseArguments(NO_COMMAND, args, io.env);
  if (input.flag("version")) return printVersion(input.json, io);
  if (input.flag("help")) {
    const commands = await allCommands();
    io.stdout.write(
      input.json ? helpJson(commands) : overview(commands, screenOf(io.stdout, io.env)),
    );
    return 0;
  }
  input.check();
  io.stderr.write(overview(await allCommands(), screenOf(io.stderr, io.env)));
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

function printVersion(json: boolean, io: Io): number {
  io.stdout.write(json ? `${jsonText({ version: VERSION })}\n` : `${VERSION}\n`);
  return 0;
}

/** Earlier versions of Node 24 call node:sqlite experimental, once in each process, on stderr. */
function hideSqliteWarning(): void {
  const emit = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emit(warning, ...rest);
  }) as typeof process.emitWarning;
}
