import { LockError } from "../lock/errors.ts";
import { suggest } from "../lock/people/suggest.ts";
import { quote } from "../lock/text.ts";
import type { Command } from "./command.ts";
import { completionCommand } from "./commands/completion/completion.ts";
import { doctorCommand } from "./commands/doctor/doctor.ts";
import { helpCommand } from "./commands/help.ts";
import { acquireCommand } from "./commands/hold/acquire.ts";
import { releaseCommand } from "./commands/hold/release.ts";
import { runCommand } from "./commands/hold/run.ts";
import { verifyCommand } from "./commands/hold/verify.ts";
import { historyCommand } from "./commands/look/history.ts";
import { listCommand } from "./commands/look/list.ts";
import { statusCommand } from "./commands/look/status.ts";
import { breakCommand } from "./commands/mend/break.ts";
import { cleanCommand } from "./commands/mend/clean.ts";
import { freezeCommand, thawCommand } from "./commands/mend/freeze.ts";
import { migrateCommand } from "./commands/mend/migrate.ts";
import { serveCommand } from "./commands/serve.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  runCommand,
  acquireCommand,
  releaseCommand,
  verifyCommand,
  statusCommand,
  listCommand,
  historyCommand,
  freezeCommand,
  thawCommand,
  breakCommand,
  cleanCommand,
  migrateCommand,
  serveCommand,
  doctorCommand,
  completionCommand(() => COMMANDS),
  helpCommand(() => COMMANDS, findCommand),
];

export function findCommand(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  const names = COMMANDS.map((candidate) => candidate.name);
  const meant = suggest(name, names);
  const advice = meant === null ? "use" : `did you mean ${meant}? Use`;
  throw new LockError(
    "BAD_COMMAND",
    `The command ${quote(name)} is not known: ${advice} one of ${names.join(", ")}.`,
  );
}
