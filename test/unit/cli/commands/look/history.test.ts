import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { cli, json, startCli } from "../../../../helpers/cli/cli.ts";
import { hold, store } from "../../../../helpers/cli/holding.ts";
import { writePast } from "../../../../helpers/cli/past.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("history", () => {
  test("shows who held a key, how long they waited and held it, how it ended, and what is usual", async () => {
    const at = store();
    writePast(at.env.HOLDFAST_STORE, "k", [4, 6, 8]);
    const ended = await cli(["history", "k"], at);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout.split("\n")).toEqual([
      `k in file:${at.env.HOLDFAST_STORE}: 3 holds, median 6m, 90 % within 8m`,
      "  since                 waited  held  end       who",
      "  2026-11-15T08:10:00Z  1m 1s   8m    released  ci-github-2-1-deploy",
      "  2026-11-15T08:04:00Z  1m 1s   6m    released  ci-github-1-1-deploy",
      "  2026-11-15T08:00:00Z  1m 1s   4m    released  ci-github-0-1-deploy",
      "",
    ]);
  });

  test("--json has the same, with times in seconds", async () => {
    const at = store();
    writePast(at.env.HOLDFAST_STORE, "k", [4, 6, 8], { job: "web" });
    const ended = await cli(["history", "k", "--json", "--limit", "2"], at);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(json(ended)).toEqual({
      key: "k",
      store: `file:${at.env.HOLDFAST_STORE}`,
      released: 2,
      median: 420,
      p90: 480,
      holds: [
        {
          owner: "ci-github-2-1-deploy",
          since: "2026-11-15T08:10:00.000Z",
          until: "2026-11-15T08:18:00.000Z",
          waited: 61,
          held: 480,
          fence: expect.any(Number),
          slot: 0,
          end: "released",
          metadata: { job: "web" },
        },
        expect.objectContaining({ held: 360 }),
      ],
    });
  });

  test("what run did is in it", async () => {
    const at = store();
    expect(await cli(["run", "k", "--owner", "me", "--", "true"], at)).toMatchObject({ code: 0 });
    const found = json<{ holds: object[] }>(await cli(["history", "k", "--json"], at));
    expect(found.holds).toMatchObject([{ owner: "me", since: ISO, end: "released" }]);
  });

  test("a limit above 50 is asked for as it is", async () => {
    const at = store();
    writePast(
      at.env.HOLDFAST_STORE,
      "k",
      Array.from({ length: 60 }, () => 1),
    );
    const found = json<{ holds: object[] }>(
      await cli(["history", "k", "--json", "--limit", "60"], at),
    );
    expect(found.holds).toHaveLength(60);
  });

  test("a lock that was broken: by whom and why; and until when each hold lasted", async () => {
    const at = store();
    const run = await hold(at, ["--owner", "first"]);
    await cli(["break", "k", "--reason", "runner 3 was unplugged"], at);
    expect((await run.ended).code).toBe(123);
    const { stdout } = await cli(["history", "k"], at);
    expect(stdout).toMatch(/ broken +first, broken by \S+: runner 3 was unplugged\n$/);
    const [told] = json<{ holds: Record<string, string>[] }>(
      await cli(["history", "k", "--json"], at),
    ).holds;
    expect(told).toMatchObject({
      end: "broken",
      reason: "runner 3 was unplugged",
      by: expect.any(String),
    });
    const lasted = Date.parse(told?.until ?? "") - Date.parse(told?.since ?? "");
    expect(lasted / 1_000).toBeCloseTo(Number(told?.held), 2);
  });

  test("without a past it says so; a store that is not there is not made", async () => {
    const directory = join(temporaryDirectory(), "none");
    const ended = await cli(["history", "k", "--store", directory]);
    expect(ended).toMatchObject({
      code: 0,
      stdout: `k in file:${directory}: no hold is remembered\n`,
      stderr: "",
    });
  });

  test("nothing in a log can reach the terminal", async () => {
    const at = store();
    const evil = "o\u001b[2J\u009b1A\u202e\n";
    const line = (operation: string, details: object) =>
      `${JSON.stringify({ timestamp: "2026-11-16T10:00:00.000Z", operation, lockPath: "x", details: { key: "k", owner: evil, fence: 1, ...details } })}\n`;
    writeFileSync(
      join(at.env.HOLDFAST_STORE, ".lock_audit.log"),
      line("acquire", {}) + line("release", { held: 1 }),
    );
    const { stdout } = await cli(["history", "k"], at);
    expect(stdout.split("\n")).toHaveLength(4);
    expect(stdout.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  test.each(["0", "-1", "1.5", "many", "1001"])("a limit of %s is refused", async (limit) => {
    const ended = await cli(["history", "k", "--limit", limit], store());
    expect(ended.code).toBe(2);
    expect(ended.stderr).toBe(
      `holdfast: The limit "${limit}" is not a whole number from 1 to 1000.\n`,
    );
  });

  test("a server that is not ours keeps none, and that is said", async () => {
    const stats = {
      connections: 1,
      locks: [],
      semaphores: [],
      idle_locks: [],
      idle_semaphores: [],
    };
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => socket.write(`ok ${JSON.stringify(stats)}\n`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as { port: number };
      const ended = await cli(["history", "k", "--json", "--store", `tcp://127.0.0.1:${port}`]);
      expect(ended.code).toBe(2);
      expect(json(ended)).toMatchObject({ error: { code: "NOT_SUPPORTED" } });
      expect(ended.stderr).toContain("keeps no history");
    } finally {
      server.close();
    }
  });
});

describe("the estimate", () => {
  const ESTIMATE = {
    lower: expect.any(Number),
    upper: expect.any(Number),
    usual: 360,
    holds: 5,
    basis: "key",
    overdue: false,
  };

  test("run says when its turn comes; status and list say it for everybody", async () => {
    const at = store();
    writePast(at.env.HOLDFAST_STORE, "k", [5, 6, 7, 6, 5]);
    const first = await hold(at, ["--owner", "first"]);
    const second = startCli(["run", "k", "--owner", "second", "--", "true"], at);
    const [line] = await second.prints(/1st in line.*\n/, "stderr");
    expect(line).toMatch(
      /^1st in line; your turn in about \d to \d+ min; held by first for \d+m?s( \d+s)?, usually 6m\n$/,
    );
    const status = await cli(["status", "k"], at);
    expect(status.stdout).toMatch(/^ {4}usually {4}6m$/m);
    expect(status.stdout).toMatch(/^ {4}1\. second for \d+m?s; its turn in about \d to \d+ min$/m);
    expect(status.stdout).toMatch(/^ {2}turn of a new claim: in about \d+ to \d+ min$/m);
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({
      waiters: [{ owner: "second", estimate: ESTIMATE }],
      estimate: ESTIMATE,
    });
    const list = await cli(["list"], at);
    expect(list.stdout).toMatch(
      /^k {2}held by first for \d+m?s, usually 6m; 1 waiting; turn of a new claim in about \d+ to \d+ min\n$/,
    );
    expect(json(await cli(["list", "--json"], at))).toMatchObject({
      keys: [{ estimate: ESTIMATE }],
    });
    first.process.stdin?.end();
    expect((await second.ended).code).toBe(0);
  });

  test("acquire says it, too: the keeper waits, and tells", async () => {
    const at = store();
    writePast(at.env.HOLDFAST_STORE, "k", [5, 6, 7, 6, 5]);
    const first = await hold(at, ["--owner", "first"]);
    const env = { ...at.env, RUNNER_TEMP: temporaryDirectory() };
    const second = startCli(["acquire", "k", "--timeout", "1m"], { env });
    await second.prints(/your turn in about .*; held by first for .*, usually 6m/, "stderr");
    first.process.stdin?.end();
    const { code, stdout } = await second.ended;
    expect(code).toBe(0);
    expect((await cli(["release", "--lease", stdout.trim()], { env })).code).toBe(0);
  });

  test("a holder that is late is said to be", async () => {
    const at = store();
    writePast(at.env.HOLDFAST_STORE, "k", [0.001, 0.001, 0.001]);
    const first = await hold(at, ["--owner", "first"]);
    const second = startCli(["run", "k", "--", "true"], at);
    await second.prints(
      /your turn (?:within .*;|not foreseeable:) a holder is over its usual time; held by first/,
      "stderr",
    );
    expect((await cli(["list"], at)).stdout).toMatch(/^k {2}overdue {2}held by first for /);
    first.process.stdin?.end();
    await second.ended;
  });

  test("of a few holds that differ widely: no turn is promised, and list is not longer for it", async () => {
    const at = store();
    writePast(at.env.HOLDFAST_STORE, "k", [0.1, 90, 0.1]);
    await hold(at, ["--owner", "first"]);
    const turn = "turn of a new claim: not foreseeable: the 3 holds so far differ too much";
    expect((await cli(["status", "k"], at)).stdout).toContain(turn);
    expect((await cli(["list"], at)).stdout).toMatch(/^k {2}held by first for \d+s, usually 6s\n$/);
  });

  test("is null, and not a word is said, with too little to go by", async () => {
    const at = store();
    writePast(at.env.HOLDFAST_STORE, "k", [5, 6]);
    const first = await hold(at, ["--owner", "first"]);
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({ estimate: null });
    expect((await cli(["status", "k"], at)).stdout).not.toMatch(/turn|usually/);
    first.process.stdin?.end();
    await first.ended;
    // A free key needs none.
    expect(json(await cli(["status", "k", "--json"], at))).toMatchObject({ estimate: null });
  });
});
