import { type Command, DONE_OR_FAILED } from "../command.ts";
import { helpJson, helpOf, overview } from "../help-text.ts";
import { screenOf } from "../screen.ts";

/** The help command. It is given the table, because it stands in it too. */
export function helpCommand(
  commands: () => readonly Command[],
  findCommand: (name: string) => Command,
): Command {
  return {
    name: "help",
    summary: "Explains Holdfast, or one of its commands",
    usage: "[COMMAND]",
    takes: "word",
    usesStore: false,
    options: [],
    examples: [{ line: "holdfast help run", says: "everything about run" }],
    exitCodes: DONE_OR_FAILED,
    async act(input, io) {
      const [name] = input.words;
      if (input.json) {
        io.stdout.write(helpJson(name === undefined ? commands() : [findCommand(name)]));
        return 0;
      }
      const screen = screenOf(io.stdout, io.env);
      io.stdout.write(
        name === undefined ? overview(commands(), screen) : helpOf(findCommand(name), screen),
      );
      return 0;
    },
  };
}
