import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { shownOptions } from "../../../../../src/cli/command.ts";
import { allCommands } from "../../../../../src/cli/table.ts";
import { CLI, cli, environment, hasScript, json } from "../../../../helpers/cli/cli.ts";
import { hold, store } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { isThere } from "../../../../helpers/needs.ts";
import { start } from "../../../../helpers/processes.ts";
import { eventually } from "../../../../helpers/waiting.ts";

const COMMANDS = await allCommands();

function has(shell: string): boolean {
  return spawnSync(shell, ["--version"]).status === 0;
}

/** A port where connections are taken and nothing is ever said. */
async function silentServer(): Promise<number> {
  const server = createServer(() => {}).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The script of a shell, in a file. */
async function scriptOf(shell: string): Promise<string> {
  const { code, stdout, stderr } = await cli(["completion", shell]);
  expect([code, stderr]).toEqual([0, ""]);
  const path = join(temporaryDirectory(), `holdfast.${shell}`);
  writeFileSync(path, stdout);
  return path;
}

/** A word of a command line that is being typed, and what is offered for it. */
const OFFERED: [typed: string, offered: string[]][] = [
  ["holdfast acq", ["acquire"]],
  ["holdfast th", ["thaw"]],
  ["holdfast run k --dead", ["--dead-after"]],
  ["holdfast run k --line n", ["newest"]],
  ["holdfast --store /tmp status k --ex", ["--exit-code"]],
  ["holdfast --store run freeze k --rea", ["--reason"]],
  ["holdfast acquire k --until ", ["run"]],
  ["holdfast completion f", ["fish"]],
  ["holdfast run k --reclaim same", ["same-user"]],
  ["holdfast migrate x --to s", ["sema"]],
  ["holdfast serve --log-level w", ["warn"]],
  ["holdfast help doc", ["doctor"]],
  ["holdfast run k --until", []],
  ["holdfast status k --dead", []],
];

describe("bash", () => {
  test("completes commands, options and values", async () => {
    const script = await scriptOf("bash");
    const calls = OFFERED.map(([typed]) => {
      const words = typed.split(" ").map((word) => `'${word}'`);
      return `COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${words.length - 1}; _holdfast; echo "\${COMPREPLY[*]}"`;
    });
    const text = [`set -e; source '${script}'; set +e`, ...calls, "complete -p holdfast"].join(
      "\n",
    );
    const ended = await start("bash", ["--norc", "-c", text], { env: environment() }).ended;
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout.split("\n")).toEqual([
      ...OFFERED.map(([, offered]) => offered.join(" ")),
      "complete -o default -F _holdfast holdfast",
      "",
    ]);
  });

  test("offers every command and, for each, every option that its help shows", async () => {
    const script = await scriptOf("bash");
    const ask = (...words: string[]) =>
      `COMP_WORDS=(${["holdfast", ...words].map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length}; _holdfast; echo "\${COMPREPLY[*]}"`;
    const text = [`source '${script}'`, ask(""), ...COMMANDS.map(({ name }) => ask(name, "--"))];
    const { stdout } = await start("bash", ["--norc", "-c", text.join("\n")], {
      env: environment(),
    }).ended;
    const [commands, ...options] = stdout.trimEnd().split("\n");
    expect(commands?.split(" ")).toEqual(COMMANDS.map(({ name }) => name));
    for (const [index, command] of COMMANDS.entries()) {
      const names = shownOptions(command.options).map(({ name }) => `--${name}`);
      expect(options[index]?.split(" ")).toEqual(expect.arrayContaining([...names, "--json"]));
    }
  });
});

describe("the keys of the store", () => {
  /** `holdfast` in a shell is this one. */
  const HERE = `holdfast() { '${process.execPath}' '${CLI}' "$@"; }`;

  test("are offered in bash where a key stands, and what is in a key is never run", async () => {
    const script = await scriptOf("bash");
    const at = store();
    const marker = join(temporaryDirectory(), "ran");
    const evil = `prod$(touch ${marker})`;
    for (const key of ["production", "db", "prod eu", evil]) await hold(at, [], key);
    // A busy machine needs more than half a second, and then nothing is offered: it is asked again.
    const offered = async (line: string, place: number) => {
      const words = line.split(" ").map((word) => `'${word}'`);
      const text = `source '${script}'; ${HERE}
        COMP_LINE='${line}'; COMP_WORDS=(${words.join(" ")}); COMP_CWORD=${place}
        _holdfast; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const shell = start("bash", ["--norc", "-c", text], { env: environment(at.env) });
      const { stdout, stderr } = await shell.ended;
      expect(stderr).toBe("");
      return stdout.trimEnd();
    };
    const found = (line: string) => eventually(() => offered(line, 2), Boolean);
    expect(await found("holdfast status produ")).toBe("production");
    expect((await found("holdfast break prod")).split("\n").sort()).toEqual(
      ["production", "prod\\ eu", `prod\\$\\(touch\\ ${marker}\\)`].sort(),
    );
    const elsewhere = `--store ${temporaryDirectory()}`;
    expect(await offered(`holdfast freeze d ${elsewhere}`, 2)).toBe("");
    expect(existsSync(marker)).toBe(false);
  });

  test("come soon, or nothing does: not a word, and success", async () => {
    const env = { HOLDFAST_STORE: `http://127.0.0.1:${await silentServer()}` };
    const ended = await cli(["completion", "keys"], { env });
    expect(ended).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const unknown = await cli(["completion", "keys", "--store", "redi://x"]);
    expect(unknown).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("every option that has a list of values offers it", () => {
    const listed = COMMANDS.flatMap(({ options }) => shownOptions(options)).filter(({ says }) =>
      /^[a-z-]+(?:, [a-z-]+)*,? or [a-z-]+$/.test(says),
    );
    expect(listed.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["purpose", "environment", "log-level", "log-format"]),
    );
    expect(listed.filter(({ choices }) => choices === undefined)).toEqual([]);
  });
});

/** Types into a shell on a terminal of its own; `holdfast` there says what it was called with. */
async function typed(shell: string, args: string[], setup: string, keys: string): Promise<string> {
  const line = [shell, ...args].join(" ");
  const terminal = start("script", ["-qefc", line, "/dev/null"], {
    env: environment({ TERM: "xterm", SHELL: "/bin/sh", PS1: "" }),
  });
  terminal.write(`${setup}\n`);
  await terminal.prints(/SET-UP/);
  terminal.write(keys);
  const [, got = ""] = await terminal.prints(/GOT<([^>$]*)>/);
  terminal.write("exit\n");
  await terminal.ended;
  return got;
}

/** So that the text which is typed is not taken for what it prints. */
const FUNCTION = "holdfast() { printf 'GOT''<%s>\\n' \"$*\"; }";
const DONE = "printf 'SET-''UP\\n'";

describe.skipIf(!hasScript)("on a terminal, with the tab key", () => {
  test("bash", async () => {
    const script = await scriptOf("bash");
    const setup = `${FUNCTION}; source '${script}'; ${DONE}`;
    const got = await typed(
      "bash",
      ["--norc", "--noprofile", "-i"],
      setup,
      "holdfast fre\tk --rea\tr\n",
    );
    expect(got).toBe("freeze k --reason r");
  });

  test.skipIf(!isThere("zsh", has("zsh")))("zsh (skipped where it is not installed)", async () => {
    const script = await scriptOf("zsh");
    const setup = `autoload -Uz compinit; compinit -u -D; ${FUNCTION}; source '${script}'; ${DONE}`;
    const one = await typed("zsh", ["-f", "-i"], setup, "holdfast fre\tk --rea\tr\n");
    expect(one).toBe("freeze k --reason r");
    const other = await typed("zsh", ["-f", "-i"], setup, "holdfast run k --line n\t--dead\t5s\n");
    expect(other).toBe("run k --line newest --dead-after 5s");
    const shells = await typed("zsh", ["-f", "-i"], setup, "holdfast completion f\t\n");
    expect(shells).toBe("completion fish");
  });
});

test.skipIf(!isThere("fish", has("fish")))("fish (skipped where it is not installed)", async () => {
  const script = await scriptOf("fish");
  const calls = OFFERED.map(
    ([text]) => `complete -C '${text}' | string replace -r '\\t.*' ''; echo .`,
  );
  const ended = await start(
    "fish",
    ["--no-config", "-c", [`source ${script}`, ...calls].join("\n")],
    {
      env: environment(),
    },
  ).ended;
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  const found = ended.stdout.split(".\n").map((text) => text.split("\n").filter(Boolean));
  expect(found.slice(0, -1)).toEqual(OFFERED.map(([, offered]) => offered));
});

test("as JSON, and a shell that is none", async () => {
  expect(json(await cli(["completion", "zsh", "--json"]))).toMatchObject({
    shell: "zsh",
    script: expect.stringMatching(/^#compdef holdfast\n/),
  });
  for (const [args, says] of [
    [["completion"], /shell is missing: use one of bash, zsh, fish/],
    [["completion", "tcsh"], /shell "tcsh" is not known: use one of bash, zsh, fish/],
    [["completion", "bash", "zsh"], /"zsh" is too much/],
  ] as const) {
    const ended = await cli([...args, "--json"]);
    expect(ended.code).toBe(2);
    expect(ended.stderr).toMatch(says);
    expect(json(ended)).toMatchObject({ error: { code: "BAD_COMMAND" } });
  }
});
