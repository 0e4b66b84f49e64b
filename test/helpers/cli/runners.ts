/**
 * How the runners of CI systems find commands in a job's log, written after what they do: whoever
 * can write a line in a job's log can give its runner such commands.
 */
export interface RunnerCommand {
  readonly runner: "github" | "azure" | "teamcity";
  readonly name: string;
}

/** Every command that some runner would obey in these lines. */
export function runnerCommands(log: string): RunnerCommand[] {
  return log
    .split(/\r\n|\r|\n/)
    .flatMap((line) => [github2(line), github1(line), azure(line), teamcity(line)])
    .filter((command) => command !== null);
}

/** .NET compares by culture where it is not told otherwise: what cannot be seen does not count. */
function visible(line: string): string {
  return line.replace(/\p{Default_Ignorable_Code_Point}/gu, "");
}

/** `::name key=value::data`, at the beginning, behind white space too. */
function github2(line: string): RunnerCommand | null {
  const text = visible(line).trimStart();
  if (!text.startsWith("::")) return null;
  const end = text.indexOf("::", 2);
  if (end === -1) return null;
  return { runner: "github", name: text.slice(2, end).split(" ")[0] as string };
}

/** `##[name key=value;]data`, anywhere. */
function github1(line: string): RunnerCommand | null {
  const text = visible(line);
  const start = text.indexOf("##[");
  const end = start === -1 ? -1 : text.indexOf("]", start);
  if (end === -1) return null;
  return { runner: "github", name: text.slice(start + 3, end).split(" ")[0] as string };
}

/** `##vso[area.event key=value;]data`, anywhere, in any case. */
function azure(line: string): RunnerCommand | null {
  const text = visible(line);
  const start = text.toLowerCase().indexOf("##vso[");
  const end = start === -1 ? -1 : text.indexOf("]", start);
  if (end === -1) return null;
  return { runner: "azure", name: text.slice(start + 6, end).split(" ")[0] as string };
}

/** `##teamcity[name …]`, anywhere. */
function teamcity(line: string): RunnerCommand | null {
  const [, name] = /##teamcity\[(\w+)/i.exec(visible(line)) ?? [];
  return name === undefined ? null : { runner: "teamcity", name };
}
