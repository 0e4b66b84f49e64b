import type { Io } from "./io.ts";

export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What the value is called in the help; without it the option is a flag. */
  readonly value?: string;
  /** A flag that is on by default: `--no-name` and any text after `=` reach the command. */
  readonly isSwitch?: boolean;
  readonly says: string;
  /** As shown in the help. */
  readonly default?: string;
  /** All values that there are, for the completions. */
  readonly choices?: readonly string[];
  /** It may be given several times, and every value counts. For other options the last value counts. */
  readonly repeats?: boolean;
  /** The message for a user who gives it: only another command has it. It is not in the help. */
  readonly refused?: string;
}

/** The word by which the program is told to be the warden of a command: see run/warden.ts. */
export const WARDEN = "__warden";

/** All that is said about a command: its help, its option parser and its page of the docs. */
export interface CommandFacts {
  readonly name: string;
  readonly summary: string;
  /** What follows the name: `KEY [options] -- CMD ARGS…`. */
  readonly usage: string;
  /** Further paragraphs of the help. */
  readonly about?: readonly string[];
  readonly takes: "key" | "paths" | "word" | "nothing";
  /** KEY may be left out: it is then the key of the lock that this job or command holds. */
  readonly knowsOwnKey?: boolean;
  /** What follows `--` is a command line of its own. */
  readonly takesCommand?: boolean;
  /** False: it uses no store. Default true. */
  readonly usesStore?: boolean;
  readonly options: readonly Option[];
  readonly examples: readonly { readonly line: string; readonly says: string }[];
  readonly exitCodes: readonly (readonly [code: string, means: string])[];
}

/** A command line, taken apart. */
export interface Input {
  /** Empty where the store is one lock file and names the key itself. */
  readonly key: string;
  readonly words: readonly string[];
  /** What follows `--`. */
  readonly commandLine: readonly string[];
  readonly store: string;
  /** The store is named on the command line, not in the environment. */
  readonly storeWasNamed: boolean;
  readonly json: boolean;
  readonly quiet: boolean;
  /** The value of an option, or the text of a switch. */
  text(option: string): string | undefined;
  /** All values of an option that repeats. */
  texts(option: string): readonly string[];
  flag(option: string): boolean;
}

/** One of Holdfast's commands: what is said about it, and what it does. */
export interface Command extends CommandFacts {
  /** Resolves to the exit code. A LockError that it throws is reported by the caller. */
  act(input: Input, io: Io): Promise<number>;
}

const STORE_OPTION: Option = {
  name: "store",
  value: "URL",
  says: "where the locks live: a directory, a path that ends in .lock, or a URL",
  default: "$HOLDFAST_STORE, else file:, one directory for the whole machine",
};

const GENERAL_OPTIONS: readonly Option[] = [
  { name: "json", says: "print one JSON document on stdout, also for errors" },
  { name: "quiet", short: "q", says: "print nothing for people but errors" },
  { name: "help", short: "h", says: "print this help" },
  { name: "version", short: "V", says: "print the version" },
];

/** The options that are known before the command is. */
export const COMMON_OPTIONS: readonly Option[] = [STORE_OPTION, ...GENERAL_OPTIONS];

/** The options that a command takes besides its own. */
export function commonOptionsOf({ usesStore = true }: CommandFacts): readonly Option[] {
  return usesStore ? COMMON_OPTIONS : GENERAL_OPTIONS;
}

/** The options that the help and the completions show. */
export function shownOptions(options: readonly Option[]): readonly Option[] {
  return options.filter(({ refused }) => refused === undefined);
}

/** What commands that use a store read from the environment. */
export const STORE_ENVIRONMENT: readonly (readonly [name: string, says: string])[] = [
  ["HOLDFAST_STORE", "the store, where --store names none"],
  ["HOLDFAST_TOKEN", "the secret of the store: of a lock server, an engine or a repository"],
  ["HOLDFAST_ID_TOKEN", "an ID token of this job, for a lock server that knows jobs by theirs"],
  ["HOLDFAST_AUDIENCE", "for whom an ID token is asked for; default: the store's origin"],
  ["HOLDFAST_CA_FILE", "a file of certificates to trust besides the system's"],
];

export const DONE_OR_FAILED: CommandFacts["exitCodes"] = [
  ["0", "done"],
  ["2", "bad input or failure"],
];

/** A text in the help of each command that takes a key. */
export const KEY_MAY_BE_LEFT_OUT =
  "With a store that is a path ending in .lock, KEY may be left out: it is the file's own name.";
