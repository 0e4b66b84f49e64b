import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The files through which a stage speaks to the runner, new for each stage. */
const FILES = {
  GITHUB_OUTPUT: "set_output",
  GITHUB_STATE: "save_state",
  GITHUB_ENV: "set_env",
  GITHUB_PATH: "add_path",
  GITHUB_STEP_SUMMARY: "step_summary",
} as const;

export interface FileCommands {
  /** The variables that name the files. */
  readonly env: Readonly<Record<string, string>>;
  /** Read when the stage has ended, however it ended. */
  read(): FileContents;
}

export interface FileContents {
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  readonly summary: string;
  readonly files: Readonly<Record<string, string>>;
}

export function openFileCommands(runnerTemp: string, unique: string): FileCommands {
  const directory = join(runnerTemp, "_runner_file_commands");
  mkdirSync(directory, { recursive: true });
  const env = Object.fromEntries(
    Object.entries(FILES).map(([variable, name]) => [
      variable,
      join(directory, `${name}_${unique}`),
    ]),
  );
  for (const path of Object.values(env)) writeFileSync(path, "");
  return {
    env,
    read: () => {
      const files: Record<string, string> = {};
      for (const [variable, path] of Object.entries(env)) {
        files[variable] = readFileSync(path, "utf8");
        rmSync(path);
      }
      const text = (variable: keyof typeof FILES) => files[variable] ?? "";
      return {
        outputs: parsePairs(text("GITHUB_OUTPUT")),
        state: parsePairs(text("GITHUB_STATE")),
        env: parsePairs(text("GITHUB_ENV")),
        paths: text("GITHUB_PATH").split(/\r?\n/).filter(Boolean),
        summary: text("GITHUB_STEP_SUMMARY"),
        files,
      };
    },
  };
}

/** `name=value`, or `name<<delimiter`, lines, and the delimiter alone. The later of two wins. */
export function parsePairs(text: string): Record<string, string> {
  const pairs: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string;
    if (line === "") continue;
    const equals = line.indexOf("=");
    const heredoc = line.indexOf("<<");
    if (heredoc > 0 && (equals === -1 || heredoc < equals)) {
      const delimiter = line.slice(heredoc + 2);
      const end = lines.indexOf(delimiter, index + 1);
      if (delimiter === "" || end === -1) throw new Error(`no end of the value of: ${line}`);
      pairs[line.slice(0, heredoc)] = lines.slice(index + 1, end).join("\n");
      index = end;
    } else if (equals > 0) pairs[line.slice(0, equals)] = line.slice(equals + 1);
    else throw new Error(`not a pair of name and value: ${line}`);
  }
  return pairs;
}
