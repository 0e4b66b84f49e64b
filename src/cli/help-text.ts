import { jsonText } from "../lock/text.ts";
import {
  COMMON_OPTIONS,
  type CommandFacts,
  commonOptionsOf,
  type Option,
  STORE_ENVIRONMENT,
  shownOptions,
} from "./command.ts";
import { type Screen, wrapped } from "./screen.ts";

/** The same as in package.json, which is not part of a bundle; a test keeps the two equal. */
export const VERSION = "1.0.0-rc.1";

/** As wide as lines of prose should be, also on a wider terminal. */
const COLUMNS = 92;
const OPTION_INDENT = 26;

/** The help of one command. */
export function helpOf(facts: CommandFacts, screen: Screen): string {
  const exitColumn = Math.max(...facts.exitCodes.map(([code]) => code.length)) + 4;
  const options = shownOptions(facts.options);
  const text = [
    `Usage: holdfast ${facts.name} ${facts.usage}`.trimEnd(),
    `${facts.summary}.`,
    ...(facts.about ?? []),
  ].flatMap((paragraph) => [...wrap(paragraph, 0, screen), ""]);
  return [
    ...text,
    ...section(
      "Options:",
      options.flatMap((option) => optionLines(option, screen)),
      screen,
    ),
    ...everywhere(commonOptionsOf(facts), screen),
    ...(facts.usesStore === false ? [] : environment(screen)),
    ...section(
      "Examples:",
      facts.examples.flatMap(({ line, says }) => [screen.paint(`  # ${says}`, "dim"), `  ${line}`]),
      screen,
    ),
    ...section(
      "Exit codes:",
      facts.exitCodes.flatMap(([code, means]) => columns(`  ${code}`, exitColumn, means, screen)),
      screen,
    ),
  ].join("\n");
}

/** The help of Holdfast as a whole. */
export function overview(commands: readonly CommandFacts[], screen: Screen): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 4;
  return [
    "Usage: holdfast COMMAND [options] KEY …",
    "",
    "One at a time: a lock that is fair, says who holds it, and is always released.",
    "",
    ...section(
      "Commands:",
      commands.flatMap(({ name, summary }) => columns(`  ${name}`, width, summary, screen)),
      screen,
    ),
    ...everywhere(COMMON_OPTIONS, screen),
    ...environment(screen),
    ...section("Example:", ["  holdfast run production -- ./deploy.sh"], screen),
    ...wrap(
      "A duration is 90 (seconds), 250ms, 30s, 5m, 2h, 1d or 1h30m; none is without limit.",
      0,
      screen,
    ),
    "holdfast help COMMAND says more, with examples and exit codes.",
    "",
  ].join("\n");
}

/** The same for a script: every command, or the one that was asked about. */
export function helpJson(commands: readonly CommandFacts[]): string {
  const told = commands.map((facts) => ({
    ...{ name: facts.name, summary: facts.summary, usage: facts.usage },
    options: [...shownOptions(facts.options), ...commonOptionsOf(facts)].map((option) => ({
      name: option.name,
      value: option.value ?? null,
      says: option.says,
      default: option.default ?? null,
      choices: option.choices ?? null,
    })),
    exitCodes: Object.fromEntries(facts.exitCodes),
  }));
  return `${jsonText({ version: VERSION, commands: told })}\n`;
}

/** Lines below a heading; nothing where there are none. */
function section(heading: string, lines: readonly string[], screen: Screen): string[] {
  return lines.length === 0 ? [] : [screen.paint(heading, "bold"), ...lines, ""];
}

function everywhere(options: readonly Option[], screen: Screen): string[] {
  return section(
    "Everywhere:",
    options.flatMap((option) => optionLines(option, screen)),
    screen,
  );
}

function environment(screen: Screen): string[] {
  const lines = STORE_ENVIRONMENT.flatMap(([name, says]) =>
    columns(`  ${name}`, OPTION_INDENT, says, screen),
  );
  return section("Environment:", lines, screen);
}

function optionLines(option: Option, screen: Screen): string[] {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  const value = option.value === undefined ? "" : ` ${option.value}`;
  const fallback = option.default === undefined ? "" : ` (default: ${option.default})`;
  const name = `  ${short}--${option.name}${value}`;
  return columns(name, OPTION_INDENT, `${option.says}${fallback}`, screen);
}

/** A name on the left and its text on the right, which goes below where the name is long. */
function columns(left: string, indent: number, text: string, screen: Screen): string[] {
  const [first = "", ...more] = wrap(text, indent, screen);
  if (left.length + 2 > indent) return [left, first, ...more];
  return [left.padEnd(indent) + first.trimStart(), ...more];
}

function wrap(text: string, indent: number, screen: Screen): string[] {
  const room = Math.min(COLUMNS, screen.columns ?? COLUMNS) - indent;
  return wrapped(text, Math.max(1, room)).map((line) => " ".repeat(indent) + line);
}
