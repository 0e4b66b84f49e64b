import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { VERSION } from "../../../src/cli/help-text.ts";
import { allCommands } from "../../../src/cli/table.ts";
import { CLI, cli, environment, json } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { start } from "../../helpers/processes.ts";

const COMMANDS = await allCommands();

const names = COMMANDS.map(({ name }) => name);

test("bare holdfast prints the help to stderr and exits 2", async () => {
  const ended = await cli([]);
  expect(ended).toMatchObject({ code: 2, stdout: "" });
  for (const name of names) expect(ended.stderr).toContain(`\n  ${name} `);
  expect(ended.stderr).toContain("holdfast run production -- ./deploy.sh");
});

test("bare holdfast --json is an error with a code, too", async () => {
  expect(json(await cli(["--json"]))).toMatchObject({ error: { code: "BAD_COMMAND" } });
});

test.each([["--help"], ["-h"], ["help"]])("holdfast %s prints the same to stdout", async (word) => {
  const [asked, bare] = await Promise.all([cli([word]), cli([])]);
  expect(asked).toMatchObject({ code: 0, stderr: "", stdout: bare.stderr });
});

describe.each(COMMANDS.map((command) => [command.name, command] as const))("%s", (name, facts) => {
  test("has a help with usage, options and defaults, an example and exit codes", async () => {
    const [byOption, byCommand] = await Promise.all([cli([name, "--help"]), cli(["help", name])]);
    expect(byOption).toMatchObject({ code: 0, stderr: "" });
    expect(byCommand.stdout).toBe(byOption.stdout);
    const text = byOption.stdout.replace(/\s+/g, " ");
    expect(text).toContain(`Usage: holdfast ${name}`);
    expect(text).toContain("Exit codes:");
    expect(text).toContain(`holdfast ${name}`);
    for (const { line } of facts.examples) expect(text).toContain(line);
    expect(facts.examples.length).toBeGreaterThan(0);
    for (const option of facts.options) {
      if (option.refused !== undefined) {
        expect(text).not.toContain(`--${option.name} `);
        continue;
      }
      expect(text).toContain(`--${option.name}${option.value ? ` ${option.value}` : ""} `);
      if (option.default !== undefined) expect(text).toContain(`(default: ${option.default})`);
    }
    for (const common of ["--json", "--quiet", "--help", "--version"]) {
      expect(text).toContain(common);
    }
    // The server, its policy and the help have no use for a store.
    const ofStores = ["--store URL", "HOLDFAST_STORE", "HOLDFAST_TOKEN", "HOLDFAST_CA_FILE"];
    const has = ofStores.map((word) => text.includes(word));
    expect(has).toEqual(ofStores.map(() => !["serve", "policy", "help"].includes(name)));
  });
});

test("the overview names the environment too", async () => {
  const { stdout } = await cli(["help"]);
  for (const name of ["HOLDFAST_STORE", "HOLDFAST_TOKEN", "HOLDFAST_CA_FILE"]) {
    expect(stdout).toContain(name);
  }
});

test("help is given whatever else is wrong with the line", async () => {
  const ended = await cli(["run", "--frobnicate", "--slots", "x", "--help"]);
  expect(ended).toMatchObject({ code: 0, stderr: "" });
});

test("--help after -- belongs to the command", async () => {
  const at = { env: { HOLDFAST_STORE: temporaryDirectory() } };
  const ended = await cli(["run", "k", "--", process.execPath, "--help"], at);
  expect(ended.code).toBe(0);
  expect(ended.stdout).toContain("Usage: node");
});

describe("--version", () => {
  test("is that of the package", () => {
    const path = fileURLToPath(new URL("../../../package.json", import.meta.url));
    expect(VERSION).toBe(JSON.parse(readFileSync(path, "utf8")).version);
  });

  test.each([[["--version"]], [["-V"]], [["run", "--version"]], [["--version", "status", "k"]]])(
    "%j prints it",
    async (args) => {
      expect(await cli(args)).toMatchObject({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
    },
  );

  test("as JSON", async () => {
    expect(json(await cli(["--version", "--json"]))).toEqual({ version: VERSION });
  });
});

describe("an older Node", () => {
  const claim = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });`;

  test.each([
    [["status", "k"], 2],
    [["run", "k", "--", "echo", "ran"], 125],
    [["--json", "run", "k", "--", "echo", "ran"], 125],
  ])("is told in one sentence what is needed: %j", async (args, code) => {
    const preload = join(temporaryDirectory(), "older.cjs");
    writeFileSync(preload, claim);
    const ended = await start(process.execPath, ["--require", preload, CLI, ...args], {
      env: environment(),
    }).ended;
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(/^holdfast: Holdfast needs Node 24 or later.*20\.19\.0.*\.\n$/);
    // The one that npm ci brings along is named, for whoever has linked a clone.
    expect(ended.stderr).toMatch(/; there is one in \S+\/node_modules\/node\/bin\.\n$/);
    if (args.includes("--json")) {
      expect(json(ended)).toMatchObject({ error: { code: "NODE_TOO_OLD" } });
    } else expect(ended.stdout).toBe("");
  });

  test("can read the entry: it imports nothing at once and has no newer syntax", () => {
    const path = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));
    const code = readFileSync(path, "utf8").replace(/\/\/.*$/gm, "");
    expect(code).not.toMatch(/^import\s|^export\s|\?\?|\?\.|\bawait\b|\busing\b|#\w+\s*[(;=]/m);
    expect(code).toContain('import("./program.ts")');
  });
});
