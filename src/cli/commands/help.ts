import { type Command, DONE_OR_FAILED } from "../command.ts";
import { helpJson, helpOf, overview } from "../help-text.ts";
import { screenOf } from "../screen.ts";

/** The help command. It gets the table of commands as an argument, because it is itself in that table. */
export function helpCommand(
  commands: () => Promise<readonly Command[]>,
  findCommand: (name: string) => Promise<Command>,
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
        io.stdout.write(
          helpJson(name === undefined ? await commands() : [await findCommand(name)]),
        );
        return 0;
      }
      const screen = screenOf(io.stdout, io.env);
      io.stdout.write(
        name === undefined
          ? overview(await commands(), screen)
          : helpOf(await findCommand(name), screen),
      );
      return 0;
    },
  };
}
