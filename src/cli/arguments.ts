import { parseArgs } from "node:util";
import { LockError } from "../lock/errors.ts";
import { suggest } from "../lock/people/suggest.ts";
import { quote } from "../lock/text.ts";
import {
  type CommandFacts,
  commonOptionsOf,
  type Input,
  type Option,
  shownOptions,
} from "./command.ts";

/** What `parseArguments` gives: the line is parsed, but not yet checked. */
export interface Unchecked extends Input {
  /** Throws if the line as a whole is wrong. */
  check(): void;
}

export function parseArguments(
  facts: CommandFacts,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Unchecked {
  const { before, after } = splitAtDashes(args);
  const { words, texts, flags, problem } = readOptions(
    [...facts.options, ...commonOptionsOf(facts)],
    before,
  );
  if (!facts.takesCommand) words.push(...after);
  const own = facts.knowsOwnKey ? env.HOLDFAST_KEY : undefined;
  const key = words[0] ?? own ?? "";
  const store = texts.get("store")?.at(-1) ?? (env.HOLDFAST_STORE || "file:");
  return {
    key,
    words,
    commandLine: facts.takesCommand ? after : [],
    store,
    storeWasNamed: texts.has("store"),
    json: flags.has("json"),
    quiet: flags.has("quiet"),
    text: (option) => texts.get(option)?.at(-1),
    texts: (option) => texts.get(option) ?? [],
    flag: (option) => flags.has(option),
    check() {
      if (problem !== null) throw problem;
      if (facts.usesStore !== false && store.trim() === "") {
        throw new LockError("BAD_STORE", "The store is empty: name one, or leave --store out.");
      }
      checkWords(facts, words, key, store);
    },
  };
}

/** The first `--` ends the options, whatever comes before it. */
export function splitAtDashes(args: readonly string[]): { before: string[]; after: string[] } {
  const end = args.indexOf("--");
  return end === -1
    ? { before: [...args], after: [] }
    : { before: args.slice(0, end), after: args.slice(end + 1) };
}

/**
 * The index of the first word that is neither an option nor an option's value: the command's name. -1:
 * there is none. `sure` is false where an option before it is unknown: the word may be its value.
 */
export function firstWord(
  options: readonly Option[],
  args: readonly string[],
): { readonly place: number; readonly sure: boolean } {
  let sure = true;
  for (const token of tokenize(options, splitAtDashes(args).before).tokens) {
    if (token.kind === "positional") return { place: token.index, sure };
    if (token.kind === "option") sure &&= options.some(({ name }) => name === token.name);
  }
  return { place: -1, sure };
}

interface Read {
  words: string[];
  texts: Map<string, string[]>;
  flags: Set<string>;
  /** The first thing that is wrong. */
  problem: LockError | null;
}

function readOptions(options: readonly Option[], args: string[]): Read {
  const words: string[] = [];
  const texts = new Map<string, string[]>();
  const add = (name: string, value: string) => texts.set(name, [...(texts.get(name) ?? []), value]);
  const flags = new Set<string>();
  let problem: LockError | null = null;
  const wrong = (message: string) => {
    problem ??= new LockError("BAD_OPTION", message);
  };
  for (const token of tokenize(options, args).tokens) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    const { rawName, value } = token;
    const option = options.find(({ name }) => name === token.name);
    const denied = deniedBy(token.name, options);
    if (denied !== null && value === undefined) add(denied.name, "false");
    else if (option === undefined) wrong(unknownOption(rawName, options));
    else if (option.refused !== undefined) wrong(option.refused);
    else if (option.isSwitch) add(option.name, value ?? "true");
    else if (option.value === undefined) {
      if (value === "false") flags.delete(option.name);
      else flags.add(option.name);
      if (value !== undefined && value !== "true" && value !== "false") {
        wrong(`The option ${rawName} takes no value: leave it out.`);
      }
    } else if (value === undefined || (!token.inlineValue && value.startsWith("--"))) {
      wrong(`The option ${rawName} has no value: write ${rawName} ${option.value}.`);
    } else add(option.name, value);
  }
  return { words, texts, flags, problem };
}

/** The switch that `--no-name` turns off. */
function deniedBy(name: string, options: readonly Option[]): Option | null {
  if (!name.startsWith("no-")) return null;
  return options.find((option) => option.isSwitch && option.name === name.slice(3)) ?? null;
}

/** Not strict, so that `--slots -1` reaches the check of slots, which has a better message. */
function tokenize(options: readonly Option[], args: string[]) {
  const config = Object.fromEntries(
    options.map(({ name, short, value }) => {
      const type = value === undefined ? ("boolean" as const) : ("string" as const);
      return [name, short === undefined ? { type } : { type, short }];
    }),
  );
  return parseArgs({ args, options: config, strict: false, allowPositionals: true, tokens: true });
}

function unknownOption(rawName: string, options: readonly Option[]): string {
  const meant = suggest(
    rawName,
    shownOptions(options).map(({ name }) => `--${name}`),
  );
  const advice = meant === null ? "see --help" : `did you mean ${meant}?`;
  return `The option ${quote(rawName)} is not known: ${advice}${meant === null ? "." : ""}`;
}

function checkWords(
  facts: CommandFacts,
  words: readonly string[],
  key: string,
  store: string,
): void {
  const usage = `holdfast ${facts.name} ${facts.usage}`;
  const most = { key: 1, word: 1, nothing: 0, paths: Number.POSITIVE_INFINITY }[facts.takes];
  const surplus = words[most];
  if (surplus !== undefined) {
    const advice = facts.takesCommand ? "put -- before the command" : `write ${usage}`;
    throw new LockError("BAD_COMMAND", `The argument ${quote(surplus)} is too much: ${advice}.`);
  }
  const isLeftOut = words.length === 0 && key === "";
  if (facts.takes === "key" && isLeftOut && !store.endsWith(".lock")) {
    throw new LockError("BAD_KEY", `The key is missing: write ${usage}.`);
  }
  if (facts.takes === "paths" && words.length === 0) {
    throw new LockError("BAD_COMMAND", `A path is missing: write ${usage}.`);
  }
}
