import { LockError } from "../lock/errors.ts";
import { quote } from "../lock/text.ts";
import type { Command } from "./command.ts";
import { acquireCommand } from "./commands/acquire.ts";
import { breakCommand } from "./commands/break.ts";
import { cleanCommand } from "./commands/clean.ts";
import { helpCommand } from "./commands/help.ts";
import { historyCommand } from "./commands/history.ts";
import { listCommand } from "./commands/list.ts";
import { migrateCommand } from "./commands/migrate.ts";
import { releaseCommand } from "./commands/release.ts";
import { runCommand } from "./commands/run.ts";
import { serveCommand, serveFacts } from "./commands/serve.ts";
import { statusCommand } from "./commands/status.ts";
import { verifyCommand } from "./commands/verify.ts";
import { suggest } from "./suggest.ts";

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
