import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { KeyStatus } from "../../../../../src/lock/status.ts";
import { CLI, cli, json, program, startCli } from "../../../../helpers/cli/cli.ts";
import { hold, holdAndDie, type Store, store } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { isAlive } from "../../../../helpers/processes.ts";
import { until } from "../../../../helpers/waiting.ts";

const isLinux = process.platform === "linux";

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("status", () => {
  test("--json has the documented shape, with holders and waiters in order", async () => {
    const at = store();
    const holder = await hold(at, ["--owner", "first", "--note", "v1.2.3", "--ttl", "1h"]);
    const second = startCli(["run", "k", "--owner", "second", "--", "echo"], at);
    await second.prints(/1st in line/, "stderr");
    const third = startCli(["run", "k", "--owner", "third", "--", "echo"], at);
    await third.prints(/2nd in line/, "stderr");
    const ended = await cli(["status", "k", "--json"], at);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/^\{.*\}\n$/);
    expect(json(ended)).toMatchObject({
      key: "k",
      store: `file:${at.env.HOLDFAST_STORE}`,
      slots: 1,
      holders: [
        {
          owner: "first",
          since: ISO,
          heartbeat: ISO,
          ttl: 3600,
          fence: expect.any(Number),
          slot: 0,
          pid: holder.pid,
          host: hostname(),
          alive: true,
          note: "v1.2.3",
          metadata: { purpose: "interactive" },
        },
      ],
      waiting: 2,
      waiters: [
        { owner: "second", since: ISO, position: 1 },
        { owner: "third", since: ISO, position: 2 },
      ],
    });
  });

  test("without a key, in a job or a command that holds one, shows that one", async () => {
    const at = store();
    const line = program(
      `console.log(require("node:child_process").execFileSync(process.execPath, [${JSON.stringify(CLI)}, "status"], { encoding: "utf8" }))`,
    );
    const { code, stdout } = await cli(["run", "mine", "--owner", "me", "--", ...line], at);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^mine in file:.*: held\n {2}held by me\n/);
    expect(await cli(["status"], at)).toMatchObject({ code: 2 });
    expect(
      (await cli(["break", "--reason", "x"], { env: { ...at.env, HOLDFAST_KEY: "k" } })).code,
    ).toBe(2);
  });

  test("for people: holder, since, ttl, heartbeat, fence, run, note and those who wait", async () => {
    const at = store();
    const ci = {
      GITHUB_ACTIONS: "true",
      GITHUB_RUN_ID: "456",
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_JOB: "deploy",
      GITHUB_SERVER_URL: "https://github.example.test",
      GITHUB_REPOSITORY: "acme/shop",
    };
    const holder = await hold({ env: { ...at.env, ...ci } }, ["--note", "v1.2.3"]);
    const waiter = startCli(["run", "k", "--owner", "second", "--", "echo"], at);
    await waiter.prints(/1st in line/, "stderr");
    const { code, stdout } = await cli(["status", "k"], at);
    expect(code).toBe(0);
    expect(stdout.split("\n")).toEqual([
      `k in file:${at.env.HOLDFAST_STORE}: held`,
      "  held by deploy of acme/shop",
      "    owner      ci-github-456-1-deploy",
      expect.stringMatching(/^ {4}since {6}\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \(\d+s\)$/),
      `    process    ${holder.pid} on ${hostname()}, alive`,
      expect.stringMatching(/^ {4}heartbeat {2}\d+m?s ago$/),
      "    ttl        1d",
      expect.stringMatching(/^ {4}fence {6}\d{16}$/),
      "    run        https://github.example.test/acme/shop/actions/runs/456",
      "    note       v1.2.3",
      "  waiting: 1",
      expect.stringMatching(/^ {4}1\. second for \d+m?s$/),
      "",
    ]);
  });

  test("a free key is free, and looking at it creates nothing", async () => {
    const at = store();
    const directory = join(at.env.HOLDFAST_STORE, "not-yet");
    const ended = await cli(["status", "k", "--store", directory]);
    expect(ended).toMatchObject({ code: 0, stdout: `k in file:${directory}: free\n`, stderr: "" });
    expect(existsSync(directory)).toBe(false);
  });

  test("a key that looks like an option stands after --", async () => {
    expect((await cli(["status", "--", "--json"], store())).stdout).toMatch(
      /^--json in .*: free\n$/,
    );
  });

  test("a dead holder is shown as gone, with what happens next, and stays until somebody comes", async () => {
    const at = store();
    await holdAndDie(at);
    const before = readFileSync(join(at.env.HOLDFAST_STORE, "k.lock"), "utf8");
    const { stdout } = await cli(["status", "k"], at);
    expect(stdout).toMatch(/, gone\n/);
    expect(stdout).toContain("    The next claim takes it over.\n");
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({
      holders: [{ alive: false }],
    });
    expect(readFileSync(join(at.env.HOLDFAST_STORE, "k.lock"), "utf8")).toBe(before);
  });

  test.skipIf(!isLinux)(
    "a stopped holder is alive, stopped, and so is a stopped waiter",
    async () => {
      const at = store();
      const holder = await hold(at);
      const waiter = startCli(["run", "k", "--owner", "second", "--", "echo"], at);
      await waiter.prints(/1st in line/, "stderr");
      holder.kill("SIGSTOP");
      waiter.kill("SIGSTOP");
      const { stdout } = await cli(["status", "k"], at);
      expect(stdout).toContain(`    process    ${holder.pid} on ${hostname()}, alive, stopped\n`);
      expect(stdout).toContain(`    To continue it: kill -CONT ${holder.pid}\n`);
      expect(stdout).not.toContain("pid-");
      expect(stdout).toMatch(/ {4}1\. second for \d+m?s, stopped\n/);
      const { holders, waiters } = json<KeyStatus>(await cli(["status", "k", "--json"], at));
      expect([holders[0]?.stopped, waiters[0]?.stopped]).toEqual([true, true]);
    },
  );

  test.skipIf(!isLinux)(
    "after kill -9 of run alone, the command that keeps the lock is named",
    async () => {
      const at = store();
      const forever = program('console.log("ready", process.pid); setInterval(() => {}, 1e6);');
      const holder = startCli(["run", "k", "--", ...forever], at);
      const command = Number((await holder.prints(/ready (\d+)/))[1]);
      holder.kill("SIGKILL");
      await until(() => !isAlive(holder.pid));
      const { stdout } = await cli(["status", "k"], at);
      expect(stdout).toMatch(
        new RegExp(
          `process +${holder.pid} on .*, gone; its command ${command} \\(.+\\) is alive\n`,
        ),
      );
      expect(stdout).toContain(
        `It is free as soon as that command ends: look at process ${command} on ${hostname()}.\n`,
      );
      process.kill(command, "SIGTERM");
      await until(() => !isAlive(command));
      expect((await cli(["status", "k"], at)).stdout).toContain("The next claim takes it over.");
    },
  );

  test("a lock file that nobody can read is named, with the command that helps", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "it%27s.lock"), "garbage\u001b[2J\u202e");
    const { stdout } = await cli(["status", "it's", "--store", directory]);
    expect(stdout).toMatch(/ {4}problem {4}\S/);
    expect(stdout).toContain(
      `    To take it away: holdfast break 'it'\\''s' --store ${directory} --reason TEXT\n`,
    );
  });

  test("nothing that a foreign file says can reach the terminal", async () => {
    const at = store();
    const now = new Date().toISOString();
    const evil = "\u001b[2J\u009b1A\u202e\n";
    const lock = { owner: `o${evil}`, since: now, ttl: 3600, metadata: { run_url: `u${evil}` } };
    writeFileSync(join(at.env.HOLDFAST_STORE, "k.lock"), JSON.stringify(lock));
    const dangerous = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
    for (const args of [["status", "k"], ["status", "k", "--json"], ["list"], ["list", "--json"]]) {
      const ended = await cli(args, at);
      expect(ended.code).toBe(0);
      expect(ended.stdout).toContain("o");
      expect(ended.stdout).not.toMatch(dangerous);
    }
    const waiter = startCli(["run", "k", "--timeout", "300ms", "--", "echo"], at);
    expect((await waiter.ended).stderr).not.toMatch(dangerous);
  });
});

describe("status --exit-code says whether a claim would get it at once", () => {
  const ask = async (at: Store, key = "k") =>
    (await cli(["status", key, "--exit-code", "--quiet"], at)).code;

  test("free: 0", async () => {
    expect(await ask(store())).toBe(0);
  });

  test("held: 1, and --quiet says no more than that", async () => {
    const at = store();
    await hold(at);
    expect(await cli(["status", "k", "--exit-code", "-q"], at)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "",
    });
  });

  test("its holder is dead: 0", async () => {
    const at = store();
    await holdAndDie(at);
    expect(await ask(at)).toBe(0);
  });

  test("one of two slots is free: 0; none: 1", async () => {
    const at = store();
    await hold(at, ["--slots", "2"]);
    expect(await ask(at)).toBe(0);
    await hold(at, ["--slots", "2"]);
    expect(await ask(at)).toBe(1);
  });

  test.each([
    ["young, though its process is gone: 1", 60, 1],
    ["old, and its process gone: 0", 7_200, 0],
  ])("a foreign lock that is %s", async (_, age, code) => {
    const at = store();
    // Linux gives no process a number above 2^22.
    const gone = 2 ** 22 + 1;
    const timestamp = Math.floor(Date.now() / 1_000) - age;
    writeFileSync(
      join(at.env.HOLDFAST_STORE, "k.lock"),
      `pid=${gone}\ntimestamp=${timestamp}\ntag=theirs\n`,
    );
    expect(await ask(at)).toBe(code);
    const claimed = await cli(["run", "k", "--timeout", "0", "--", ...program("")], at);
    expect(claimed.code).toBe(code === 0 ? 0 : 124);
  });

  test.each([
    ["runs for another hour: 1", 3_600, 1],
    ["is over: 0", -1, 0],
  ])("a foreign JSON lock whose ttl %s", async (_, left, code) => {
    const at = store();
    const since = new Date(Date.now() + left * 1_000 - 7_200_000).toISOString();
    const lock = { owner: "ci-theirs", since, ttl: 7_200, metadata: {} };
    writeFileSync(join(at.env.HOLDFAST_STORE, "k.lock"), JSON.stringify(lock));
    expect(await ask(at)).toBe(code);
    const claimed = await cli(["run", "k", "--timeout", "0", "--", ...program("")], at);
    expect(claimed.code).toBe(code === 0 ? 0 : 124);
  });

  test.each([
    ["young: 1", 60, 1],
    ["old: 0", 7_200, 0],
  ])("an unreadable lock file that is %s", async (_, age, code) => {
    const at = store();
    const path = join(at.env.HOLDFAST_STORE, "k.lock");
    writeFileSync(path, "garbage");
    utimesSync(path, Date.now() / 1_000 - age, Date.now() / 1_000 - age);
    expect(await ask(at)).toBe(code);
    const claimed = await cli(["run", "k", "--timeout", "0", "--", ...program("")], at);
    expect(claimed.code).toBe(code === 0 ? 0 : 124);
  });
});
