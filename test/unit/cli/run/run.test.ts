import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  CLI,
  cli,
  environment,
  json,
  program,
  startCli,
  UNTIL_INPUT_ENDS,
} from "../../../helpers/cli/cli.ts";
import { store } from "../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { startGitServer } from "../../../helpers/git-server.ts";
import { start } from "../../../helpers/processes.ts";
import { until } from "../../../helpers/waiting.ts";

const ENVIRONMENT = program(`
  const { HOLDFAST_KEY, HOLDFAST_FENCE, HOLDFAST_OWNER, HOLDFAST_STORE, HOLDFAST_SLOT, HOLDFAST_LEASE } = process.env;
  console.log(JSON.stringify({ HOLDFAST_KEY, HOLDFAST_FENCE, HOLDFAST_OWNER, HOLDFAST_STORE, HOLDFAST_SLOT, HOLDFAST_LEASE }));
`);

describe("the command", () => {
  test("runs with the lock's key, fence, owner and store in its environment", async () => {
    const directory = temporaryDirectory();
    const outer = {
      HOLDFAST_FENCE: "1",
      HOLDFAST_LEASE: "/outer/lease.json",
      HOLDFAST_KEY: "outer",
    };
    const ended = await cli(
      ["run", "a/b", "--owner", "me", "--store", directory, "--", ...ENVIRONMENT],
      { env: outer },
    );
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const seen = json<Record<string, string>>(ended);
    expect(seen).toEqual({
      HOLDFAST_KEY: "a/b",
      HOLDFAST_OWNER: "me",
      HOLDFAST_STORE: `file:${directory}`,
      HOLDFAST_SLOT: "0",
      HOLDFAST_FENCE: expect.stringMatching(/^\d{16}$/),
    });
  });

  test.each([0, 1, 42, 123, 255])("gives its exit code back: %i", async (code) => {
    expect((await cli(["run", "k", "--", ...program(`process.exit(${code})`)], store())).code).toBe(
      code,
    );
  });

  test("gets its arguments as they are, without a shell", async () => {
    const words = ["a b", "$HOME", "*", "--json", "--", "'\"", ""];
    const ended = await cli(
      [
        "run",
        "k",
        "--",
        ...program("console.log(JSON.stringify(process.argv.slice(1)))"),
        "--",
        ...words,
      ],
      store(),
    );
    expect(json<string[]>(ended)).toEqual(words);
  });

  test("has the caller's stdin, stdout and stderr", async () => {
    const echo = program(`process.stdin.pipe(process.stdout); console.error("to stderr");`);
    const run = startCli(["run", "k", "--", ...echo], store());
    run.process.stdin?.end("through and through");
    expect(await run.ended).toMatchObject({ stdout: "through and through", stderr: "to stderr\n" });
  });

  test.skipIf(!existsSync("/dev/fd"))("gets a file that the shell gave as /dev/fd/N", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "file"), "from the descriptor");
    const cat = `holdfast run k -- cat /dev/fd/63 63<"$1"`.replace("holdfast", '"$2" "$3"');
    const run = start(
      "/bin/bash",
      ["-c", cat, "bash", join(directory, "file"), process.execPath, CLI],
      {
        env: environment(store().env),
      },
    );
    expect(await run.ended).toMatchObject({ code: 0, stdout: "from the descriptor", stderr: "" });
  });

  test("that is not there gives 127, and the lock is let go", async () => {
    const at = store();
    const ended = await cli(["run", "k", "--json", "--", "./no-such-command"], at);
    expect(ended.code).toBe(127);
    expect(ended.stderr).toMatch(
      /^holdfast: The command "\.\/no-such-command" was not found: .*\.\n$/,
    );
    expect(json(ended)).toMatchObject({ error: { code: "COMMAND_NOT_FOUND" } });
    expect(json(await cli(["status", "k", "--json"], at)).holders).toEqual([]);
  });

  test.each([
    ["a directory", (path: string) => mkdirSync(path)],
    [
      "a file without the right to execute it",
      (path: string) => writeFileSync(path, "#!/bin/sh\n"),
    ],
  ])("that cannot be run gives 126: %s", async (_, make) => {
    const at = store();
    const path = join(temporaryDirectory(), "command");
    make(path);
    const ended = await cli(["run", "k", "--json", "--", path], at);
    expect(ended.code).toBe(126);
    expect(json(ended)).toMatchObject({ error: { code: "COMMAND_NOT_RUNNABLE" } });
    expect(json(await cli(["status", "k", "--json"], at)).holders).toEqual([]);
  });

  test("a script whose interpreter is missing gives 127 and a sentence that mentions it", async () => {
    const path = join(temporaryDirectory(), "script");
    writeFileSync(path, "#!/no/such/interpreter\n");
    chmodSync(path, 0o755);
    const ended = await cli(["run", "k", "--", path], store());
    expect(ended.code).toBe(127);
    expect(ended.stderr).toContain("interpreter");
  });
});

describe("the turn", () => {
  test("the second waits, says who is ahead, and gets in when the first lets go", async () => {
    const at = store();
    const first = startCli(
      ["run", "k", "--owner", "first", "--note", "v1.2.3", "--", ...UNTIL_INPUT_ENDS],
      at,
    );
    await first.prints(/ready/);
    const second = startCli(["run", "k", "--owner", "second", "--", "echo", "second's turn"], at);
    const [line] = await second.prints(/.*\n/, "stderr");
    expect(line).toMatch(
      /^holdfast: waiting for k: 1st in line; held by first for \d+m?s( \d+s)?, "v1\.2\.3"\n$/,
    );
    expect(second.stdout()).toBe("");
    first.process.stdin?.end();
    expect((await first.ended).code).toBe(0);
    const ended = await second.ended;
    expect(ended).toMatchObject({ code: 0, stdout: "second's turn\n" });
    expect(ended.stderr).toMatch(/\nholdfast: acquired k after \d+m?s( \d+s)?\n$/);
  });

  test("a command that asks again for the lock it runs under is refused at once", async () => {
    const again = [process.execPath, CLI, "run", "k", "--", "echo", "never"];
    const ended = await cli(["run", "k", "--", ...again], store());
    expect(ended).toMatchObject({ code: 125, stdout: "" });
    expect(ended.stderr).toContain("a second claim would wait for itself");
  });

  test("--quiet waits in silence", async () => {
    const at = store();
    const first = startCli(["run", "k", "--", ...UNTIL_INPUT_ENDS], at);
    await first.prints(/ready/);
    const second = startCli(["run", "k", "--quiet", "--", "echo", "in"], at);
    await until(async () => json(await cli(["status", "k", "--json"], at)).waiting === 1);
    first.process.stdin?.end();
    expect(await second.ended).toMatchObject({ code: 0, stdout: "in\n", stderr: "" });
  });

  test("--timeout 0 does not wait: 124 at once, naming the holder", async () => {
    const at = store();
    const first = startCli(["run", "k", "--owner", "first", "--", ...UNTIL_INPUT_ENDS], at);
    await first.prints(/ready/);
    const ended = await cli(["run", "k", "--timeout", "0", "--json", "--", "echo", "never"], at);
    expect(ended.code).toBe(124);
    expect(json(ended)).toMatchObject({ error: { code: "TIMEOUT" } });
    expect(ended.stderr).toMatch(/held by first/);
  });

  test("a timeout that runs out gives 124 and leaves the line", async () => {
    const at = store();
    const first = startCli(["run", "k", "--owner", "first", "--", ...UNTIL_INPUT_ENDS], at);
    await first.prints(/ready/);
    const ended = await cli(["run", "k", "--timeout", "300ms", "--", "echo", "never"], at);
    expect(ended).toMatchObject({ code: 124, stdout: "" });
    expect(ended.stderr).toContain("300ms");
    expect(json(await cli(["status", "k", "--json"], at)).waiting).toBe(0);
  });

  test("--slots 2 lets two in and makes the third wait", async () => {
    const at = store();
    const args = ["run", "k", "--slots", "2", "--", ...UNTIL_INPUT_ENDS];
    const two = [startCli(args, at), startCli(args, at)];
    for (const each of two) await each.prints(/ready/);
    const third = startCli(args, at);
    await third.prints(/1st in line; held by .*; /, "stderr");
    two[0]?.process.stdin?.end();
    await third.prints(/ready/);
  });

  test("slots that differ from those of a holder are an error that names both", async () => {
    const at = store();
    const first = startCli(["run", "k", "--slots", "2", "--", ...UNTIL_INPUT_ENDS], at);
    await first.prints(/ready/);
    const ended = await cli(["run", "k", "--slots", "3", "--json", "--", "echo"], at);
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject({ error: { code: "SLOTS_MISMATCH" } });
    expect(ended.stderr).toMatch(/slots 2.*slots 3/);
  });

  test("a lock that a dead holder left is taken over, and that is said", async () => {
    const at = store();
    const first = startCli(["run", "k", "--owner", "first", "--", ...UNTIL_INPUT_ENDS], at);
    await first.prints(/ready/);
    first.killGroup("SIGKILL");
    await first.ended;
    const ended = await cli(["run", "k", "--", "echo", "in"], at);
    expect(ended).toMatchObject({ code: 0, stdout: "in\n" });
    expect(ended.stderr).toMatch(
      /^holdfast: acquired k after \d+ms, taken over from first \(HOLDER_DEAD\)\n$/,
    );
  });
});

describe("what it is told", () => {
  test("owner, note, ttl, purpose, environment, user and format reach the lock file", async () => {
    const at = store();
    const options = [
      ["--owner", "me"],
      ["--note", "v1"],
      ["--ttl", "2m"],
      ["--purpose", "emergency"],
      ["--environment", "cloud"],
      ["--user", "alice"],
      ["--format", "json"],
      ["--dead-after", "5s"],
    ].flat();
    const run = startCli(["run", ...options, "k", "--", ...UNTIL_INPUT_ENDS], at);
    await run.prints(/ready/);
    const [holder] = json<{ holders: object[] }>(await cli(["status", "k", "--json"], at)).holders;
    expect(holder).toMatchObject({
      owner: "me",
      note: "v1",
      ttl: 120,
      pid: run.pid,
      metadata: { purpose: "emergency", environment: "cloud", user_identity: "alice" },
    });
    const file = readFileSync(join(at.env.HOLDFAST_STORE, "k.lock"), "utf8");
    expect(JSON.parse(file)).toMatchObject({ owner: "me" });
  });

  test("options may stand before the command and after the key", async () => {
    const directory = temporaryDirectory();
    const ended = await cli(["--store", directory, "run", "k", "--owner=me", "--", ...ENVIRONMENT]);
    expect(json(ended)).toMatchObject({
      HOLDFAST_OWNER: "me",
      HOLDFAST_STORE: `file:${directory}`,
    });
  });

  test("a store that ends in .lock needs no key", async () => {
    const path = join(temporaryDirectory(), "deploy.lock");
    const run = startCli(["run", "--store", path, "--", ...UNTIL_INPUT_ENDS]);
    await run.prints(/ready/);
    expect(existsSync(path)).toBe(true);
    const status = await cli(["status", "--store", path, "--json", "--exit-code"]);
    expect(status.code).toBe(1);
    expect(json(status)).toMatchObject({ key: "deploy", holders: [{ pid: run.pid }] });
    const wrong = await cli(["status", "other", "--store", path, "--json"]);
    expect(wrong.code).toBe(2);
    expect(json(wrong)).toMatchObject({ error: { code: "BAD_KEY" } });
    const broken = await cli(["break", "--store", path, "--reason", "test", "--json"]);
    expect(json(broken)).toMatchObject({ key: "deploy", broken: [{ pid: run.pid }] });
  });

  test("a relative store is one of the working directory", async () => {
    const cwd = temporaryDirectory();
    const ended = await cli(["run", "k", "--store", "./locks", "--", ...ENVIRONMENT], { cwd });
    expect(json(ended).HOLDFAST_STORE).toBe(`file:${join(cwd, "locks")}`);
    expect(readdirSync(cwd)).toEqual(["locks"]);
  });

  test("--json says nothing on stdout where all went well", async () => {
    expect(await cli(["run", "k", "--json", "--", ...program("")], store())).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });
});

describe("on a GitHub-hosted runner", () => {
  const hosted = { RUNNER_ENVIRONMENT: "github-hosted" };

  test("a file store gets one warning with what to use instead", async () => {
    const at = store();
    const ended = await cli(["run", "k", "--", ...program("")], { env: { ...at.env, ...hosted } });
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/^holdfast: warning: .*locks nobody out.*--store.*\n$/);
  });

  test("--quiet silences it", async () => {
    const at = store();
    const ended = await cli(["run", "k", "-q", "--", ...program("")], {
      env: { ...at.env, ...hosted },
    });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
  });
});

test("a dead-after that a repository raises is told where somebody set it, and only there", async () => {
  const git = await startGitServer();
  const at = { env: { HOLDFAST_STORE: git.url } };
  const [unset, set] = await Promise.all([
    cli(["run", "a", "--", "true"], at),
    cli(["run", "b", "--dead-after", "30s", "--", "true"], at),
  ]);
  await git.close();
  expect(unset).toMatchObject({ code: 0, stderr: "" });
  expect(set.code).toBe(0);
  expect(set.stderr.match(/dead-after 30s is raised to 10m: the store/g)).toHaveLength(1);
});
