import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openProcesses } from "../../../src/machine/processes.ts";
import { openStore } from "../../../src/stores/open.ts";
import { CLI, cli, environment, json, program } from "../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { start } from "../../helpers/processes.ts";

/** A store of its own, and the leases of this user as in a shell: outside of CI. */
function shell(more: NodeJS.ProcessEnv = {}) {
  return { env: { HOLDFAST_STORE: `file:${join(temporaryDirectory(), "locks")}`, ...more } };
}

/** Runs a shell script in which `holdfast` is the command. */
function script(text: string, { env }: { env: NodeJS.ProcessEnv }) {
  const holdfast = `holdfast() { ${JSON.stringify(process.execPath)} ${JSON.stringify(CLI)} "$@"; }`;
  return start("/bin/sh", ["-c", `${holdfast}\n${text}`], { env: environment(env) }).ended;
}

const again = (...args: string[]) => [process.execPath, CLI, "run", ...args];

const refused = { error: { code: "ALREADY_HELD" } };

describe("a claim of what one already holds is refused at once", () => {
  test("run within run", async () => {
    const ended = await cli(
      ["run", "k", "--", ...again("k", "--json", "--", "echo", "in")],
      shell(),
    );
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject(refused);
    expect(ended.stderr).toMatch(
      /holdfast run around this command \(process \d+\) already holds "k"/,
    );
  });

  test("run within run, with another run between them", async () => {
    const inner = again("k", "--json", "--", "echo", "in");
    const ended = await cli(["run", "k", "--", ...again("other", "--", ...inner)], shell());
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject(refused);
  });

  test("acquire within run", async () => {
    const inner = [process.execPath, CLI, "acquire", "k", "--json"];
    const ended = await cli(["run", "k", "--", ...inner], shell());
    expect(ended.code).toBe(2);
    expect(json(ended)).toMatchObject(refused);
  });

  test.each([
    ["acquire", "holdfast acquire k --json", 2],
    ["run", "holdfast run k --json -- echo in", 125],
    ["run in a subshell", "( holdfast run k --json -- echo in )", 125],
  ])("%s after acquire in one script", async (_, second, code) => {
    const ended = await script(`holdfast acquire k >/dev/null || exit 9\n${second}`, shell());
    expect(ended.code).toBe(code);
    expect(json(ended)).toMatchObject(refused);
    expect(ended.stderr).toMatch(
      /The script around this command \(process \d+\) already holds "k"/,
    );
  });

  test("run in a job that holds the key", async () => {
    const at = shell({ RUNNER_TEMP: temporaryDirectory() });
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const ended = await cli(["run", "k", "--json", "--", "echo", "in"], at);
    expect(ended.code).toBe(125);
    expect(json(ended)).toMatchObject(refused);
    expect((await cli(["release", "k"], at)).code).toBe(0);
  });
});

describe("a claim of what somebody else holds is not", () => {
  test("another script waits its turn", async () => {
    const at = shell();
    const first = start(
      "/bin/sh",
      ["-c", `"$0" "$1" acquire k && read line`, process.execPath, CLI],
      {
        env: environment(at.env),
      },
    );
    await first.prints(/\.json/);
    const ended = await cli(["run", "k", "--timeout", "0", "--json", "--", "echo", "in"], at);
    expect(json(ended)).toMatchObject({ error: { code: "TIMEOUT" } });
    first.process.stdin?.end();
    await first.ended;
  });

  test("a detached lock is nobody's, also in a job", async () => {
    for (const at of [shell(), shell({ RUNNER_TEMP: temporaryDirectory() })]) {
      await cli(["acquire", "k", "--detach", "--ttl", "60s"], at);
      const ended = await cli(["acquire", "k", "--timeout", "0", "--json"], at);
      expect(json(ended)).toMatchObject({ error: { code: "TIMEOUT" } });
      expect((await cli(["release", "k"], at)).code).toBe(0);
    }
  });

  test("the same key in another store, and another key in the same store", async () => {
    const elsewhere = ["--store", `file:${join(temporaryDirectory(), "locks")}`];
    const commands = [
      again("k", ...elsewhere, "--", "echo", "in"),
      again("other", "--", "echo", "in"),
    ];
    for (const command of commands) {
      const ended = await cli(["run", "k", "--", ...command], shell());
      expect(ended).toMatchObject({ code: 0, stdout: "in\n" });
    }
  });

  test("a process that outlives the run around it claims as any other", async () => {
    const at = shell();
    const mark = openProcesses({ sharedFilesystem: false }).self;
    const { url } = await openStore(at.env.HOLDFAST_STORE);
    for (const [pid, code] of [
      [mark.pid, 125],
      [2 ** 22 + 1, 0],
    ]) {
      const runs = [{ key: "k", store: url, process: { ...mark, pid } }];
      const env = { ...at.env, HOLDFAST_HELD: JSON.stringify(runs) };
      expect((await cli(["run", "k", "--", ...program("")], { env })).code).toBe(code);
    }
  });

  test.each(["", "{", "null", "[null]", '[{"key":"k"}]', "7"])(
    "a variable of that name that is something else is of no matter: %s",
    async (text) => {
      const ended = await cli(["run", "k", "--", ...program("")], shell({ HOLDFAST_HELD: text }));
      expect(ended).toMatchObject({ code: 0, stderr: "" });
    },
  );
});
