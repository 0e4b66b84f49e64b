import { describe, expect, test } from "vitest";
import { batchScript } from "../../../src/action/environment.ts";
import { descendants } from "../../../src/cli/run/family.ts";
import { windowsCommand } from "../../../src/cli/run/windows-command.ts";
import { LockError } from "../../../src/lock/errors.ts";
import { callerOf } from "../../../src/machine/ancestry.ts";
import {
  type ListedProcess,
  readPowerShell,
  readWmic,
} from "../../../src/machine/process-table.ts";
import { isShare } from "../../../src/stores/file/disk/network.ts";

/** What can be told of Windows without it: decisions on what its programs list. */

const listed = (pid: number, parent: number, name: string, command = name): ListedProcess => {
  return { pid, parent, group: null, created: 1_000 + pid, ended: false, name, command };
};

describe("W3: the process that acquire holds for", () => {
  const CMD = "C:\\Windows\\system32\\cmd.exe";
  test.each([
    ["PowerShell, which runs the .ps1 shim itself", 10, [listed(10, 1, "pwsh.exe")], 10],
    [
      "PowerShell behind the cmd.exe of the shim",
      20,
      [
        listed(10, 1, "powershell.exe"),
        listed(20, 10, "cmd.exe", `${CMD} /c ""C:\\Users\\x\\npm\\holdfast.cmd" acquire k"`),
      ],
      10,
    ],
    [
      "a step's cmd.exe, which runs a script",
      20,
      [
        listed(10, 1, "Runner.Worker.exe"),
        listed(20, 10, "cmd.exe", `${CMD} /D /E:ON /V:OFF /S /C "CALL "C:\\a\\_temp\\1.cmd""`),
      ],
      20,
    ],
    [
      "a cmd.exe that goes on after acquire",
      20,
      [
        listed(10, 1, "explorer.exe"),
        listed(20, 10, "cmd.exe", "cmd /c holdfast acquire k && deploy"),
      ],
      20,
    ],
    [
      "the cmd.exe of the shim, with an operator among its quoted words",
      20,
      [
        listed(10, 1, "pwsh.exe"),
        listed(
          20,
          10,
          "cmd.exe",
          `${CMD} /c ""C:\\x\\holdfast.cmd" acquire "R&D | ops" --note a^&b"`,
        ),
      ],
      10,
    ],
    [
      "a cmd.exe that goes on after acquire, whose words are quoted",
      20,
      [
        listed(10, 1, "node.exe"),
        listed(20, 10, "cmd.exe", `${CMD} /d /s /c "holdfast acquire "R&D" && deploy"`),
      ],
      20,
    ],
    [
      "sh.exe of Git Bash, which may be there only until this process ends: not known",
      20,
      [listed(10, 1, "bash.exe"), listed(20, 10, "sh.exe", "/bin/sh /c/npm/holdfast acquire k")],
      null,
    ],
    [
      "Git Bash behind the cmd.exe of the shim: not known",
      20,
      [
        listed(10, 1, "bash.exe"),
        listed(20, 10, "cmd.exe", `${CMD} /c ""C:\\x\\holdfast.cmd" acquire k"`),
      ],
      null,
    ],
    ["a prompt", 20, [listed(20, 10, "cmd.exe", `"${CMD}"`)], 20],
    ["a cmd.exe whose words are hidden: not known", 20, [listed(20, 10, "cmd.exe", "")], null],
    ["a parent that has ended: not known", 20, [], null],
    [
      "a shim whose parent has ended, and its pid is another's now: not known",
      20,
      [listed(30, 1, "svchost.exe"), listed(20, 30, "cmd.exe", "cmd /c holdfast acquire k")],
      null,
    ],
  ])("%s", (_, parent, all, caller) => {
    expect(callerOf(parent, all)).toBe(caller);
  });
});

describe("W6: a command line", () => {
  const env = { Path: "C:\\tools;C:\\node", PATHEXT: ".COM;.EXE;.CMD;.PS1" };
  const files = [
    "C:\\tools\\deploy.cmd",
    "C:\\node\\node.exe",
    "C:\\work\\run.ps1",
    "C:\\work\\a.cmd",
  ];
  const exists = (path: string) => files.some((file) => file.toLowerCase() === path.toLowerCase());
  const start = (...words: string[]) => windowsCommand(words, env, "C:\\work", exists);

  test("finds a program and leaves its arguments to Node", () => {
    expect(start("node", "-p", 'a "b" %PATH%')).toMatchObject({
      args: ["-p", 'a "b" %PATH%'],
      verbatim: false,
    });
  });

  test("gives a batch file to cmd.exe, with every argument in quotes", () => {
    const { file, args, verbatim } = start("deploy", "a&b", "", "C:\\x\\", "^|<>()!");
    expect(file).toMatch(/cmd\.exe$/);
    expect(verbatim).toBe(true);
    expect(args.at(-1)).toBe('""C:\\tools\\deploy.CMD" "a&b" "" "C:\\x\\\\" "^|<>()!""');
  });

  test.each(['"', "%", "\r", "\n"])("refuses %j for a batch file", (character) => {
    expect(() => start("a.cmd", `x${character}y`)).toThrow(LockError);
  });

  test("passes over a folder of the PATH that cannot be looked into", () => {
    // A name that no filesystem takes, here as on Windows.
    const Path = `C:\\${"x".repeat(300)};C:\\tools`;
    expect(() => windowsCommand(["deploy"], { Path }, "C:\\work")).toThrow(/was not found/);
  });

  test("names the interpreter of a script, and what is not found", () => {
    expect(() => start("run.ps1")).toThrow(/powershell -File/);
    expect(() => start("nothing")).toThrow(/was not found/);
    expect(() => start("Echo", "hi")).toThrow(/was not found, .* as in -- cmd \/c Echo/);
  });
});

test("a share is known by its path", () => {
  expect(
    ["\\\\server\\share\\x", "\\\\?\\UNC\\server\\share", "//server/share"].map(isShare),
  ).toEqual([true, true, true]);
  expect(["C:\\x", "\\\\?\\C:\\x", "\\\\.\\pipe\\x", "/tmp"].map(isShare)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

describe("W1: when a process was created", () => {
  const command = '"C:\\x y\\node.exe" deploy.js';

  test("as PowerShell tells it, in UTC", () => {
    const text = `4 0 - System|\r\n4711 4 1795020495296 node.exe|${command}\r\nend\r\n`;
    expect(readPowerShell(text)).toEqual([
      { ...listed(4, 0, "System", ""), created: null },
      { ...listed(4711, 4, "node.exe", command), created: 1795020495296 },
    ]);
  });

  test("no process is an answer; half an answer is none", () => {
    expect(readPowerShell("end\r\n")).toEqual([]);
    for (const text of [null, "", "4711 4 - node.exe|node\r\n", "Access denied\r\n"])
      expect(readPowerShell(text)).toBeNull();
  });

  test.each([
    ["20261116035603.932000+060", "2026-11-16T02:56:03.932Z"],
    ["20261116035603.932000-480", "2026-11-16T11:56:03.932Z"],
    ["20260701035603.000000+000", "2026-07-01T03:56:03.000Z"],
  ])("as wmic tells it, in local time with its distance from UTC: %s", (wmi, utc) => {
    const widths = [50, 27, 16, 17, 9];
    const line = (...cells: string[]) =>
      cells.map((cell, nth) => cell.padEnd(widths[nth] ?? 0)).join("");
    const text = [
      line("CommandLine", "CreationDate", "Name", "ParentProcessId", "ProcessId"),
      line(command, wmi, "node.exe", "4", "4711"),
      line("", "", "System", "0", "4"),
      "",
    ].join("\r\r\n");
    expect(readWmic(text.replaceAll("\r\r\n", "\r\n"))).toEqual([
      { ...listed(4711, 4, "node.exe", command), created: Date.parse(utc) },
      { ...listed(4, 0, "System", ""), created: null },
    ]);
    expect(readWmic("Node - PC\r\nERROR:\r\n")).toBeNull();
  });
});

describe("W2: what a command has started, by what Windows lists", () => {
  const process = (pid: number, parent: number, created: number | null) => {
    return { pid, parent, created, marked: false };
  };
  type Listed = ReturnType<typeof process>;
  const found = (all: readonly Listed[], ...known: [pid: number, born: number][]) =>
    descendants(all, new Map(known)).map(({ pid }) => pid);

  test("children, and those whose parent has ended and is still named", () => {
    const all = [process(10, 1, 1_000), process(11, 10, 2_000), process(12, 11, null)];
    expect(found(all, [10, 1_000])).toEqual([10, 11, 12]);
    expect(found(all.slice(1), [10, 1_000])).toEqual([11, 12]);
  });

  test("a process that was there before its supposed parent is another one's child", () => {
    const all = [process(10, 1, 60_000), process(11, 10, 1_000), process(12, 10, 61_000)];
    expect(found(all, [10, 60_000])).toEqual([10, 12]);
  });

  test("a later process with the command's pid is spared, and so are its children", () => {
    const all = [process(10, 1, 90_000), process(11, 10, 2_000), process(12, 10, 91_000)];
    expect(found(all, [10, 1_000])).toEqual([11]);
  });

  test("what a process has started that an earlier look found, and that has ended since", () => {
    const all = [process(10, 1, 1_000), process(13, 12, 5_000)];
    expect(found(all, [10, 1_000], [11, 2_000], [12, 3_000])).toEqual([10, 13]);
  });
});

test("the action's batch file names nothing that cmd.exe could misread", () => {
  const at = "C:\\Läufer 100%\\_work\\_temp\\holdfast-bin";
  const node = "C:\\Läufer 100%\\externals\\node24\\bin\\node.exe";
  expect(batchScript(at, node, "D:\\50%\\cli\\index.js")).toBe(
    '@"%~dp0..\\..\\..\\externals\\node24\\bin\\node.exe" "D:\\50%%\\cli\\index.js" %*\r\n',
  );
});
