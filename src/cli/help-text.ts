import {
  COMMON_OPTIONS,
  type CommandFacts,
  commonOptionsOf,
  type Option,
  STORE_ENVIRONMENT,
  shownOptions,
} from "./command.ts";

/** The same as in package.json, which a bundle does not carry along; a test keeps them equal. */
export const VERSION = "1.0.0-rc.1";

const COLUMNS = 92;
const OPTION_INDENT = 26;

/** The help of one command. */
export function helpOf(facts: CommandFacts): string {
  const exitColumn = Math.max(...facts.exitCodes.map(([code]) => code.length)) + 4;
  return [
    `Usage: holdfast ${facts.name} ${facts.usage}`.trimEnd(),
    "",
    ...wrap(`${facts.summary}.`, 0),
    ...(facts.about ?? []).flatMap((paragraph) => ["", ...wrap(paragraph, 0)]),
    "",
    ...(facts.options.length > 0
      ? ["Options:", ...shownOptions(facts.options).flatMap(optionLines), ""]
      : []),
    "Everywhere:",
    ...commonOptionsOf(facts).flatMap(optionLines),
    "",
    ...(facts.usesStore === false ? [] : ENVIRONMENT),
    "Examples:",
    ...facts.examples.flatMap(({ line, says }) => [`  # ${says}`, `  ${line}`]),
    "",
    "Exit codes:",
    ...facts.exitCodes.flatMap(([code, means]) => columns(`  ${code}`, exitColumn, means)),
    "",
  ].join("\n");
}

/** The help of Holdfast as a whole. */
export function overview(commands: readonly CommandFacts[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 4;
  return [
    "Usage: holdfast COMMAND [options] KEY …",
    "",
    "One at a time: a lock that is fair, says who holds it, and is always released.",
    "",
    "Commands:",
    ...commands.flatMap(({ name, summary }) => columns(`  ${name}`, width, summary)),
    "",
    "Everywhere:",
    ...COMMON_OPTIONS.flatMap(optionLines),
    "",
    ...ENVIRONMENT,
    "Example:",
    "  holdfast run production -- ./deploy.sh",
    "",
    "A duration is 90 (seconds), 250ms, 30s, 5m, 2h, 1d or 1h30m; none is without limit.",
    "holdfast help COMMAND says more, with examples and exit codes.",
    "",
  ].join("\n");
}

const ENVIRONMENT = [
  "Environment:",
  ...STORE_ENVIRONMENT.flatMap(([name, says]) => columns(`  ${name}`, OPTION_INDENT, says)),
  "",
];

function optionLines(option: Option): string[] {
  const short = option.short === undefined ? "" : `-${option.short}, `;
  const value = option.value === undefined ? "" : ` ${option.value}`;
  const fallback = option.default === undefined ? "" : ` (default: ${option.default})`;
  return columns(`  ${short}--${option.name}${value}`, OPTION_INDENT, `${option.says}${fallback}`);
}

/** A name on the left and its text on the right, which goes below where the name is long. */
function columns(left: string, indent: number, text: string): string[] {
  const [first = "", ...more] = wrap(text, indent);
  if (left.length + 2 > indent) return [left, first, ...more];
  return [left.padEnd(indent) + first.trimStart(), ...more];
}

function wrap(text: string, indent: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + 1 + word.length > COLUMNS) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((content) => " ".repeat(indent) + content);
}
