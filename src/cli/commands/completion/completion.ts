import { LockError } from "../../../lock/errors.ts";
import { jsonText, quote } from "../../../lock/text.ts";
import { type Command, DONE_OR_FAILED } from "../../command.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { SHELLS, type Shell, tableOf } from "./words.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** The completion command. It is given the table, because it stands in it too. */
export function completionCommand(commands: () => Promise<readonly Command[]>): Command {
  return {
    name: "completion",
    summary: "Prints the script with which a shell completes commands and options",
    usage: SHELLS.join("|"),
    takes: "word",
    usesStore: false,
    options: [],
    examples: [
      { line: "source <(holdfast completion bash)", says: "in ~/.bashrc; for zsh in ~/.zshrc" },
      { line: "holdfast completion fish | source", says: "in config.fish" },
    ],
    exitCodes: DONE_OR_FAILED,
    async act(input, io) {
      const shell = shellOf(input.words[0]);
      const script = SCRIPTS[shell](tableOf(await commands()));
      io.stdout.write(input.json ? `${jsonText({ shell, script })}\n` : script);
      return 0;
    },
  };
}

function shellOf(word: string | undefined): Shell {
  const shell = SHELLS.find((known) => known === word);
  if (shell !== undefined) return shell;
  const wrong = word === undefined ? "is missing" : `${quote(word)} is not known`;
  throw new LockError("BAD_COMMAND", `The shell ${wrong}: use one of ${SHELLS.join(", ")}.`);
}
