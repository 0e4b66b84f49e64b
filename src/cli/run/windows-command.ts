import { lstatSync, statSync } from "node:fs";
import { win32 } from "node:path";
import { LockError } from "../../lock/errors.ts";
import { quote } from "../../lock/text.ts";
import { systemProgram } from "../../machine/process-table.ts";

/** What is started in place of the words of a command line. `verbatim`: the arguments are quoted already. */
export interface Startable {
  readonly file: string;
  readonly args: readonly string[];
  readonly verbatim: boolean;
}

/** The usual PATHEXT. Windows itself starts the first two; the others are text for cmd.exe. */
const USUAL_EXTENSIONS = ".COM;.EXE;.BAT;.CMD";

/** Scripts that Windows cannot start by themselves, and what to write instead. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ".ps1": "powershell -File",
  ".sh": "bash",
  ".py": "python",
  ".js": "node",
};

/** What cmd.exe does itself: there is no such program, as there is on other systems. */
const WORDS_OF_CMD = new Set(
  "call cd copy del dir echo md mkdir mklink move rd ren rmdir set start type".split(" "),
);

/**
 * Finds a command as cmd.exe does, by PATH and PATHEXT, and gives a batch file to cmd.exe. Node finds
 * programs only, and starts no batch file by itself, since cmd.exe reads its arguments as code.
 */
export function windowsCommand(
  [file = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  directory: string,
  isFile = isCommandFile,
): Startable {
  const path = find(file, env, directory, isFile);
  if (path === null) {
    throw new LockError(
      "COMMAND_NOT_FOUND",
      WORDS_OF_CMD.has(file.toLowerCase())
        ? `The command ${quote(file, 200)} was not found, it is a word of cmd.exe: write cmd /c before it, as in -- cmd /c ${file}.`
        : `The command ${quote(file, 200)} was not found: check its name, the PATH and PATHEXT.`,
    );
  }
  const extension = win32.extname(path).toLowerCase();
  if (extension === ".exe" || extension === ".com") return { file: path, args, verbatim: false };
  if (extension === ".cmd" || extension === ".bat") {
    const words = [path, ...args].map(quoteForBatch).join(" ");
    // Without AutoRun commands and delayed expansion; the outer quotes are removed because of /s.
    const line = ["/d", "/v:off", "/s", "/c", `"${words}"`];
    return { file: systemProgram("cmd.exe"), args: line, verbatim: true };
  }
  const interpreter = INTERPRETERS[extension];
  const advice = interpreter === undefined ? "name the program that runs it" : "its interpreter";
  const example = interpreter === undefined ? "" : `, as in -- ${interpreter} ${quote(file, 200)}`;
  throw new LockError(
    "COMMAND_NOT_RUNNABLE",
    `The command ${quote(file, 200)} cannot be run, Windows starts no ${extension || "file without an extension"} by itself: write ${advice} before it${example}.`,
  );
}

/** Whether a path is a file. A folder of the PATH that cannot be read counts as empty. */
function isCommandFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return isLink(path);
  }
}

/** Programs of Microsoft's store are links that only Windows itself can follow. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function find(
  file: string,
  env: NodeJS.ProcessEnv,
  directory: string,
  isFile: (path: string) => boolean,
): string | null {
  const named = (name: string) =>
    Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] ?? "";
  const listed = (text: string) => text.split(";").filter((each) => each !== "");
  const here = named("NODEFAULTCURRENTDIRECTORYINEXEPATH") === "" ? [""] : [];
  const folders = /[\\/:]/.test(file) ? [""] : [...here, ...listed(named("PATH"))];
  const extensions = listed(named("PATHEXT") || USUAL_EXTENSIONS);
  const candidates = (endings: readonly string[]) =>
    folders.flatMap((folder) =>
      endings.map((ending) => win32.resolve(directory, folder.replaceAll('"', ""), file + ending)),
    );
  // A file without an extension is no program: it is looked for only to say so.
  const all =
    win32.extname(file) === ""
      ? [...candidates(extensions), ...candidates([""])]
      : candidates(["", ...extensions]);
  return all.find(isFile) ?? null;
}

/**
 * An argument for a batch file, in quotes, within which cmd.exe takes everything for text but these:
 * it expands % also there, a quote ends them, and a line break ends the command.
 */
function quoteForBatch(argument: string): string {
  const wrong = /["%\r\n]/.exec(argument)?.[0];
  if (wrong !== undefined) {
    throw new LockError(
      "COMMAND_NOT_RUNNABLE",
      `The argument ${quote(argument, 200)} cannot be given to a batch file, since cmd.exe would take its ${wrong.trim() === "" ? "line break" : wrong} for more than text: run the program that the batch file calls, or hand the text over in an environment variable.`,
    );
  }
  // Programs take a backslash before the last quote as an escape of that quote.
  return `"${argument.replace(/\\+$/, "$&$&")}"`;
}
