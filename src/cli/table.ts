import { LockError } from "../lock/errors.ts";
import { suggest } from "../lock/people/suggest.ts";
import { quote } from "../lock/text.ts";
import type { Command } from "./command.ts";

/** Every command, in the order of the help. Its code is loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import("./commands/hold/run.ts")).runCommand,
  acquire: async () => (await import("./commands/hold/acquire.ts")).acquireCommand,
  take: async () => (await import("./commands/hold/take.ts")).takeCommand,
  release: async () => (await import("./commands/hold/release.ts")).releaseCommand,
  verify: async () => (await import("./commands/hold/verify.ts")).verifyCommand,
  status: async () => (await import("./commands/look/status.ts")).statusCommand,
  list: async () => (await import("./commands/look/list.ts")).listCommand,
  history: async () => (await import("./commands/look/history.ts")).historyCommand,
  freeze: async () => (await import("./commands/mend/freeze.ts")).freezeCommand,
  thaw: async () => (await import("./commands/mend/freeze.ts")).thawCommand,
  break: async () => (await import("./commands/mend/break.ts")).breakCommand,
  clean: async () => (await import("./commands/mend/clean.ts")).cleanCommand,
  migrate: async () => (await import("./commands/mend/migrate.ts")).migrateCommand,
  serve: async () => (await import("./commands/serve.ts")).serveCommand,
  page: async () => (await import("./commands/page.ts")).pageCommand,
  policy: async () => (await import("./commands/policy.ts")).policyCommand,
  doctor: async () => (await import("./commands/doctor/doctor.ts")).doctorCommand,
  completion: async () =>
    (await import("./commands/completion/completion.ts")).completionCommand(allCommands),
  help: async () => (await import("./commands/help.ts")).helpCommand(allCommands, findCommand),
};

export function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map((load) => load()));
}

export function isCommand(name: string): boolean {
  return Object.hasOwn(COMMANDS, name);
}

export async function findCommand(name: string): Promise<Command> {
  const load = isCommand(name) ? COMMANDS[name] : undefined;
  if (load !== undefined) return load();
  const names = Object.keys(COMMANDS);
  const meant = suggest(name, names);
  const advice = meant === null ? "use" : `did you mean ${meant}? Use`;
  throw new LockError(
    "BAD_COMMAND",
    `The command ${quote(name)} is not known: ${advice} one of ${names.join(", ")}.`,
  );
}
