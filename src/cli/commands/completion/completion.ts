import { setTimeout as delay } from "node:timers/promises";
import { LockError } from "../../../lock/errors.ts";
import { jsonText, quote, withoutPassword } from "../../../lock/text.ts";
import { type Command, DONE_OR_FAILED, type Input } from "../../command.ts";
import { withStore } from "../../context.ts";
import type { Io } from "../../io.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { KEYS, SHELLS, type Shell, tableOf } from "./words.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** The completion command. It gets the table of commands as an argument, because it is itself in that table. */
export function completionCommand(commands: () => Promise<readonly Command[]>): Command {
  return {
    name: "completion",
    summary: "Prints the script with which a shell completes commands and options",
    usage: [...SHELLS, KEYS].join("|"),
    about: [
      "The scripts complete commands, options, values and the keys of the store. For these they call completion keys, which prints what it finds within half a second, or nothing.",
    ],
    takes: "word",
    options: [],
    examples: [
      { line: "source <(holdfast completion bash)", says: "in ~/.bashrc; for zsh in ~/.zshrc" },
      { line: "holdfast completion fish | source", says: "in config.fish" },
    ],
    exitCodes: DONE_OR_FAILED,
    async act(input, io) {
      if (input.words[0] === KEYS) {
        const keys = await keysOf(input, io);
        if (input.json)
          io.stdout.write(`${jsonText({ store: withoutPassword(input.store), keys })}\n`);
        else for (const key of keys) io.stdout.write(`${key}\n`);
        return 0;
      }
      const shell = shellOf(input.words[0]);
      const script = SCRIPTS[shell](tableOf(await commands()));
      io.stdout.write(input.json ? `${jsonText({ shell, script })}\n` : script);
      return 0;
    },
  };
}

/** How long a completion may take, since a user waits for it at the tab key; Node's start comes on top. */
const PATIENCE_MS = 500;

/** The keys that the store knows, held or free. If that fails: none, and no message. */
async function keysOf(input: Input, io: Io): Promise<string[]> {
  const stderr = { ...io.stderr, write: () => {} };
  const left = Math.max(0, PATIENCE_MS - performance.now());
  const found = withStore({ ...input, quiet: true }, { ...io, stderr }, {}, (store) =>
    store.list({ all: true }),
  ).catch(() => []);
  const late = delay(left, [], { ref: false });
  return (await Promise.race([found, late])).map(({ key }) => key);
}

function shellOf(word: string | undefined): Shell {
  const shell = SHELLS.find((known) => known === word);
  if (shell !== undefined) return shell;
  const wrong = word === undefined ? "is missing" : `${quote(word)} is not known`;
  throw new LockError(
    "BAD_COMMAND",
    `The shell ${wrong}: use one of ${SHELLS.join(", ")}, or ${KEYS}.`,
  );
}
