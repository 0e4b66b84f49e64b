import {
  COMMON_OPTIONS,
  type Command,
  commonOptionsOf,
  type Option,
  shownOptions,
} from "../../command.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The words that ask for the keys of the store: the scripts call this while a user types. */
export const KEYS = "keys";

/** What a completion knows of a command: all of it is in the table of commands. */
export interface Completed {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly Option[];
  /** What it takes in place of a key: a command for `help`, a shell for `completion`. */
  readonly words: readonly string[];
  /** Its arguments are paths. */
  readonly takesPaths: boolean;
  /** Its argument is a key. */
  readonly takesKey: boolean;
}

/** What is completed: for each command, and before there is a command. */
export interface Table {
  readonly commands: readonly Completed[];
  readonly common: readonly Option[];
}

export function tableOf(commands: readonly Command[]): Table {
  const names = commands.map(({ name }) => name);
  return {
    common: COMMON_OPTIONS,
    commands: commands.map((command) => ({
      name: command.name,
      summary: command.summary,
      options: [...shownOptions(command.options), ...commonOptionsOf(command)],
      words: { help: names, completion: [...SHELLS, KEYS] }[command.name] ?? [],
      takesPaths: command.takes === "paths",
      takesKey: command.takes === "key",
    })),
  };
}

/** Options of all commands, each name once: a value is completed whichever command it is given to. */
export function optionsIn({ commands, common }: Table): readonly Option[] {
  const known = new Map<string, Option>();
  for (const option of [...common, ...commands.flatMap(({ options }) => options)]) {
    const before = known.get(option.name);
    if (before?.choices === undefined) known.set(option.name, option);
  }
  return [...known.values()];
}

/** Whether the value is a path, or may be one. */
export function takesFile({ value }: Option): boolean {
  return value === "FILE" || value === "URL";
}

/** A text in single quotes, for any of the three shells. */
export function quoted(text: string, shell: Shell): string {
  return shell === "fish"
    ? `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
    : `'${text.replaceAll("'", "'\\''")}'`;
}
