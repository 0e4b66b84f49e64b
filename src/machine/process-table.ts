import { join } from "node:path";

/** A process as the system lists it, where there is no /proc. */
export interface ListedProcess {
  readonly pid: number;
  readonly parent: number;
  /** Its process group. Null: the system has none. */
  readonly group: number | null;
  /** When it was created, in milliseconds of the calendar. Null: the system does not tell. */
  readonly created: number | null;
  /** It has ended, and its parent has yet to collect it. */
  readonly ended: boolean;
  /** The name of its program's file. Empty: not asked for. */
  readonly name: string;
  /**
   * The command line, followed by the environment if that was asked for and is visible. Empty: it is
   * hidden from this user.
   */
  readonly command: string;
}

/**
 * What to list: one process or all, and whether their environments are wanted. Where the system shows
 * none, command lines are not needed either.
 */
interface Wanted {
  readonly pid?: number;
  readonly environment?: boolean;
}

/** How long such a program may take; after that nothing is known. */
const PATIENCE_MS = 20_000;

/**
 * Lists processes by the system's own programs, since Node cannot. Null if none of them answers. `ps`
 * takes some milliseconds. On Windows it is PowerShell, or `wmic` if there is no PowerShell; `wmic` takes 0.3 s
 * under wine.
 */
export function listProcesses(wanted: Wanted = {}): ListedProcess[] | null {
  if (process.platform !== "win32") return byPs(wanted);
  return byPowerShell(wanted) ?? byWmic(wanted);
}

/** With BSD's options. `ps` prints times in the caller's language and time zone: so they are set to C and UTC. */
function byPs({ pid, environment = false }: Wanted): ListedProcess[] | null {
  const which = pid === undefined ? ["-A"] : ["-p", String(pid)];
  const columns = ["-ww", "-o", "pid=,ppid=,pgid=,state=,lstart=,command="];
  const env = { PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC0" };
  // macOS shows environments with -E; other systems know no such option.
  const text =
    (environment ? output("ps", ["-E", ...which, ...columns], env) : null) ??
    output("ps", [...which, ...columns], env);
  return text?.split("\n").flatMap(readPsLine) ?? null;
}

function readPsLine(line: string): ListedProcess[] {
  const match =
    /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+\w{3}\s+(\w{3}\s+\d+\s+[\d:]+\s+\d{4})\s*(.*)$/.exec(line);
  if (match === null) return [];
  const [, pid, parent, group, state = "", time, command = ""] = match;
  const created = Date.parse(`${time} UTC`);
  return [
    {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      created: Number.isNaN(created) ? null : created,
      ended: state.startsWith("Z"),
      name: "",
      command,
    },
  ];
}

/** The script's last line shows that it came to its end, also if it listed no process. */
const SCRIPT_END = "end";

function byPowerShell({ pid }: Wanted): ListedProcess[] | null {
  const filter = pid === undefined ? "" : ` -Filter 'ProcessId=${pid}'`;
  const script = [
    "$ErrorActionPreference='Stop'",
    // This fails where there is no console; then letters beyond ASCII may be wrong, and nothing else.
    "try { [Console]::OutputEncoding=[Text.Encoding]::UTF8 } catch {}",
    `Get-CimInstance Win32_Process${filter} | ForEach-Object {` +
      " $t = if ($_.CreationDate) { ([DateTimeOffset]$_.CreationDate).ToUnixTimeMilliseconds() } else { '-' };" +
      " '{0} {1} {2} {3}|{4}' -f $_.ProcessId, $_.ParentProcessId, $t, $_.Name, ($_.CommandLine -replace '\\s+',' ') }",
    `'${SCRIPT_END}'`,
  ].join("; ");
  const program = systemProgram("WindowsPowerShell\\v1.0\\powershell.exe");
  return readPowerShell(output(program, ["-NoProfile", "-NonInteractive", "-Command", script]));
}

/** What the script of `byPowerShell` printed; null where it did not come to its end. */
export function readPowerShell(text: string | null): ListedProcess[] | null {
  const lines = text?.trimEnd().split(/\r?\n/);
  if (lines?.pop() !== SCRIPT_END) return null;
  return lines.flatMap((line) => {
    const match = /^(\d+) (\d+) (-|\d+) ([^|]*)\|(.*)$/.exec(line);
    if (match === null) return [];
    const [, id, parent, time, name = "", command = ""] = match;
    const created = time === "-" ? null : Number(time);
    const ids = { pid: Number(id), parent: Number(parent), group: null };
    return [{ ...ids, created, ended: false, name, command }];
  });
}

/** By `wmic`, which newer versions of Windows do not have. */
function byWmic({ pid, environment = false }: Wanted): ListedProcess[] | null {
  const program = systemProgram("wbem\\wmic.exe");
  // A command line may have line breaks, which tear its row apart.
  const columns = `${environment ? "" : "CommandLine,"}Name,ParentProcessId,ProcessId`;
  // wine's `wmic` knows no times, and answers nothing if it is asked for them.
  for (const names of [`CreationDate,${columns}`, columns]) {
    const all = readWmic(output(program, ["process", "get", names]));
    if (all !== null) return pid === undefined ? all : all.filter((each) => each.pid === pid);
  }
  return null;
}

/** The table that `wmic process get` prints; null where it is none. */
export function readWmic(text: string | null): ListedProcess[] | null {
  const [header = "", ...lines] = text?.split(/\r?\n/) ?? [];
  if (!/ProcessId/i.test(header)) return null;
  // A table: each column is as wide as its widest value.
  const starts = [...header.matchAll(/\S+/g)].map(({ 0: name, index }) => ({ name, index }));
  return lines.flatMap((line) => {
    const values = starts.map(({ name, index }, nth) => {
      return [name.toLowerCase(), line.slice(index, starts[nth + 1]?.index).trim()];
    });
    const row = Object.fromEntries(values) as Record<string, string>;
    if (!/^\d+$/.test(row.processid ?? "")) return [];
    return [
      {
        pid: Number(row.processid),
        parent: Number(row.parentprocessid),
        group: null,
        created: wmiTime(row.creationdate ?? ""),
        ended: false,
        name: row.name ?? "",
        command: row.commandline ?? "",
      },
    ];
  });
}

/** WMI's `20261116035603.932000+060`: local time, and the minutes that it is ahead of UTC. */
function wmiTime(text: string): number | null {
  const match = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\.(\d{3})\d{3}([+-]\d{3})$/.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, ...rest] = match.slice(1, 8).map(Number);
  return Date.UTC(year, month - 1, ...rest) - Number(match[8]) * 60_000;
}

/** A program of Windows by its full path: by its name alone, one in the working directory would be run. */
export function systemProgram(path: string): string {
  return join(process.env.SystemRoot ?? "C:\\Windows", "System32", path);
}

/** What a program prints, which may be nothing; null if it is missing, hangs, or fails. */
export function output(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): string | null {
  // Only here, where there is no /proc: loading it takes milliseconds.
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { stdout, stderr, status, error } = spawnSync(program, args, {
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: PATIENCE_MS,
    maxBuffer: 64 * 1024 * 1024,
    windowsHide: true,
  });
  // `ps -p` of a process that is gone prints nothing and exits with 1.
  if (error !== undefined || (status !== 0 && stderr.length > 0)) return null;
  // wmic writes UTF-16 into a pipe.
  const text = stdout.toString(stdout.includes(0) ? "utf16le" : "utf8");
  return text.replace(/^\ufeff/, "");
}
