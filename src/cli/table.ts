import { LockError } from "../lock/errors.ts";
import { quote } from "../lock/text.ts";
import { acquireCommand } from "./acquire.ts";
import { breakCommand } from "./break.ts";
import { cleanCommand } from "./clean.ts";
import type { Command } from "./command.ts";
import { helpCommand } from "./help.ts";
import { historyCommand } from "./history.ts";
import { listCommand } from "./list.ts";
import { migrateCommand } from "./migrate.ts";
import { releaseCommand } from "./release.ts";
import { runCommand } from "./run.ts";
import { serveCommand, serveFacts } from "./serve.ts";
import { statusCommand } from "./status.ts";
import { suggest } from "./suggest.ts";
import { verifyCommand } from "./verify.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  runCommand,
  acquireCommand,
  releaseCommand,
  verifyCommand,
  statusCommand,
  listCommand,
  historyCommand,
  breakCommand,
  cleanCommand,
  migrateCommand,
  { ...serveFacts, run: serveCommand },
  helpCommand,
];

export function findCommand(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  const meant = suggest(name, names);
  const advice = meant === null ? "" : `; did you mean ${meant}?`;
  throw new LockError(
    "BAD_COMMAND",
    `The command ${quote(name)} is not known: use one of ${names.join(", ")}${advice || "."}`,
  );
}
