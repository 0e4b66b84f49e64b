import type { Option } from "../../command.ts";
import { KEYS, quoted, type Table, takesFile } from "./words.ts";

/** A condition: the cursor is before `--`, since a separate command line follows it. */
const AHEAD = "not contains -- -- (commandline -opc)";

/** The completion for fish. */
export function fishScript({ commands, common }: Table): string {
  const none = `${AHEAD}; and __fish_use_subcommand`;
  const lines = [
    "# fish completion for holdfast. Load it with: holdfast completion fish | source",
    "complete -c holdfast -f",
    `complete -c holdfast -n ${quoted("contains -- -- (commandline -opc)", "fish")} -F`,
    ...commands.map(
      ({ name, summary }) =>
        `complete -c holdfast -n ${quoted(none, "fish")} -a ${name} -d ${quoted(summary, "fish")}`,
    ),
    ...common.map((option) => optionLine(option, none)),
  ];
  for (const { name, options, words, takesPaths, takesKey } of commands) {
    const here = `${AHEAD}; and __fish_seen_subcommand_from ${name}`;
    lines.push(...options.map((option) => optionLine(option, here)));
    if (takesPaths) lines.push(`complete -c holdfast -n ${quoted(here, "fish")} -F`);
    if (takesKey) {
      const offered = quoted(`(holdfast completion ${KEYS} 2>/dev/null)`, "fish");
      lines.push(`complete -c holdfast -n ${quoted(here, "fish")} -a ${offered}`);
    }
    if (words.length > 0) {
      const offered = quoted(words.join(" "), "fish");
      lines.push(`complete -c holdfast -n ${quoted(here, "fish")} -a ${offered}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function optionLine(option: Option, condition: string): string {
  const { name, short, value, choices, says } = option;
  const letter = short === undefined ? "" : ` -s ${short}`;
  const takes =
    value === undefined
      ? ""
      : choices !== undefined
        ? ` -x -a ${quoted(choices.join(" "), "fish")}`
        : takesFile(option)
          ? " -r -F"
          : " -x";
  return `complete -c holdfast -n ${quoted(condition, "fish")} -l ${name}${letter}${takes} -d ${quoted(says, "fish")}`;
}
