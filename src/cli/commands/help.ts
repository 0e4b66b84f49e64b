import { defineCommand } from "../command.ts";
import { DONE_OR_FAILED } from "../facts.ts";
import { helpOf, overview } from "../help-text.ts";

export const helpCommand = defineCommand(
  {
    name: "help",
    summary: "Explains Holdfast, or one of its commands",
    usage: "[COMMAND]",
    takes: "word",
    options: [],
    examples: [{ line: "holdfast help run", says: "everything about run" }],
    exitCodes: DONE_OR_FAILED,
  },
  async (input, io) => {
    // Loaded here, because the table holds this command too.
    const { COMMANDS, findCommand } = await import("../table.ts");
    const [name] = input.words;
    io.stdout.write(name === undefined ? overview(COMMANDS) : helpOf(findCommand(name)));
    return 0;
  },
);
