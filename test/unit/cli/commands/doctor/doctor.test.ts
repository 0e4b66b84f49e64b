import { chmodSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { skewOf } from "../../../../../src/cli/commands/doctor/server-clock.ts";
import { cli, json, startCli } from "../../../../helpers/cli/cli.ts";
import { hold, holdAndDie, store } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { isLinux, isRoot } from "../../../../helpers/file/support.ts";
import { type GitServer, startGitServer } from "../../../../helpers/git-server.ts";
import { stateOf } from "../../../../helpers/processes.ts";
import { until } from "../../../../helpers/waiting.ts";

let git: GitServer | null = null;

afterEach(async () => {
  await git?.close();
  git = null;
});

interface Told {
  readonly ok: boolean;
  readonly findings: { about: string; ok: boolean | null; says: string; todo?: string }[];
}

async function doctor(at: { env: NodeJS.ProcessEnv }): Promise<Told & { code: number | null }> {
  const ended = await cli(["doctor", "--json"], at);
  return { ...json<Told & object>(ended), code: ended.code };
}

function about(told: Told, subject: string) {
  return told.findings.filter((finding) => finding.about === subject);
}

describe("doctor", () => {
  test("all is well: a line for each thing, exit 0, and nothing is left behind", async () => {
    const at = store();
    const ended = await cli(["doctor"], at);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const lines = ended.stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(/\s+/).slice(0, 2))).toEqual(
      ["node", "identity", "store", "write", "clock", "stuck"].map((name) => ["ok", name]),
    );
    expect(ended.stdout).toContain(process.versions.node);
    expect(ended.stdout).toContain(`file:${at.env.HOLDFAST_STORE}`);
    expect(readdirSync(at.env.HOLDFAST_STORE)).toEqual([]);
    // A directory that is not there yet is not made.
    const missing = join(at.env.HOLDFAST_STORE, "sub", "locks");
    const absent = await doctor({ env: { HOLDFAST_STORE: missing } });
    expect([absent.code, absent.ok]).toEqual([0, true]);
    expect(about(absent, "write")[0]?.says).toContain("is not there yet");
    expect(readdirSync(at.env.HOLDFAST_STORE)).toEqual([]);
    expect(await cli(["doctor", "--quiet"], at)).toMatchObject({ code: 0, stdout: "", stderr: "" });
  });

  test("who am I here, in a job", async () => {
    const at = store();
    const ci = {
      GITLAB_CI: "true",
      CI_SERVER_URL: "https://gitlab.example.test",
      CI_PROJECT_PATH: "acme/shop",
      CI_PIPELINE_ID: "7",
      CI_JOB_ID: "8",
      GITLAB_USER_LOGIN: "ann",
    };
    const [who] = about(await doctor({ env: { ...at.env, ...ci } }), "identity");
    expect(who?.says).toMatch(/^ci-gitlab-7-8\S*, user ann, a job of gitlab, run .*pipelines\/7/);
  });

  test("what is stuck: a dead holder, a stopped one, a lock that cannot be read", async () => {
    const at = store();
    const directory = at.env.HOLDFAST_STORE;
    await holdAndDie(at);
    const garbage = join(directory, "garbage.lock");
    writeFileSync(garbage, "not a lock");
    utimesSync(garbage, new Date(), new Date());
    const stopped = await hold(at, ["--owner", "sleeper"], "s");
    if (isLinux) {
      stopped.kill("SIGSTOP");
      await until(() => stateOf(stopped.pid) === "T");
    }
    const told = await doctor(at);
    expect([told.code, told.ok]).toEqual([1, false]);
    const stuck = about(told, "stuck").map(({ says, todo }) => `${says}: ${todo}`);
    const expected = [
      /^garbage has a lock that cannot be read .*: if it is garbage, holdfast break garbage/,
      /^k is held by first, which is gone \(HOLDER_DEAD\): the next claim takes it over, or holdfast clean/,
      ...(isLinux
        ? [/^s is held by sleeper, which is stopped.*: continue it with kill -CONT/]
        : []),
    ];
    expect(stuck.sort()).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    if (isLinux) stopped.kill("SIGCONT");
  });

  test.skipIf(isRoot || process.platform === "win32")(
    "a directory that this user may not write to",
    async () => {
      const at = store();
      chmodSync(at.env.HOLDFAST_STORE, 0o555);
      const told = await doctor(at);
      chmodSync(at.env.HOLDFAST_STORE, 0o755);
      expect([told.code, about(told, "write")[0]?.ok]).toEqual([1, false]);
    },
  );

  test("a store that cannot be reached is a line, and the rest is not guessed", async () => {
    const told = await doctor({ env: { HOLDFAST_STORE: "tcp://127.0.0.1:1" } });
    expect(told.code).toBe(1);
    expect(about(told, "store")[0]).toMatchObject({
      ok: false,
      says: expect.stringContaining("cannot be reached"),
    });
    expect(["write", "clock", "stuck"].map((name) => about(told, name)[0]?.ok)).toEqual([
      null,
      null,
      null,
    ]);
  });

  test("a store's URL that is none is bad input", async () => {
    const ended = await cli(["doctor", "--store", "gopher://x", "--json"]);
    expect(ended.code).toBe(2);
    expect(json(ended)).toMatchObject({ error: { code: "BAD_STORE" } });
  });

  test("a repository: no ref is left, and a token that may only read is told", async () => {
    git = await startGitServer({
      access: (_user, password) => (password === "w" ? "write" : "read"),
    });
    const env = { HOLDFAST_STORE: git.url, HOLDFAST_TOKEN: "w" };
    const well = await doctor({ env });
    expect(well.findings.filter(({ ok }) => ok !== true)).toEqual([]);
    expect(about(well, "clock")[0]?.says).toContain("agrees with that of git+http");
    expect(await git.git("for-each-ref")).toBe("");
    const told = await doctor({ env: { ...env, HOLDFAST_TOKEN: "r" } });
    expect(told.code).toBe(1);
    expect(about(told, "store")[0]?.ok).toBe(true);
    expect(about(told, "write")[0]).toMatchObject({ ok: false });
    expect(about(told, "write")[0]?.says).toMatch(/does not let this token write/);
    await cli(["freeze", "k", "--reason", "incident 42"], { env });
    const [frozen] = about(await doctor({ env }), "stuck");
    expect(frozen?.says).toMatch(/^k is frozen by .*: incident 42/);
    expect(frozen?.todo).toContain("holdfast thaw k");
  });

  test("a server: claimed and released; its clock where it has one", async () => {
    const server = startCli(["serve", "--port", "0", "--http-port", "0"]);
    const [, tcp] = await server.prints(/listening tcp 127\.0\.0\.1:(\d+)/);
    const [, http] = await server.prints(/listening http 127\.0\.0\.1:(\d+)/);
    const overTcp = await doctor({ env: { HOLDFAST_STORE: `tcp://127.0.0.1:${tcp}` } });
    expect(overTcp.findings.map(({ ok }) => ok)).toEqual([true, true, true, true, null, true]);
    const overHttp = await doctor({ env: { HOLDFAST_STORE: `http://127.0.0.1:${http}` } });
    expect(overHttp.findings.map(({ ok }) => ok)).toEqual([true, true, true, true, true, true]);
  });

  test("a clock that differs from the server's is told, with the side", async () => {
    // An answer to every question that a server of the protocol's authors has, an hour ahead.
    const late = createServer((request, response) => {
      response.setHeader("date", new Date(Date.now() + 3_600_000).toUTCString());
      const isList = request.url?.startsWith("/admin") ?? false;
      response.writeHead(isList ? 200 : 404, { "content-type": "application/json" });
      response.end(isList ? JSON.stringify({ locks: [] }) : "{}");
    });
    await new Promise<void>((resolve) => late.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void late.close());
    const { port } = late.address() as AddressInfo;
    const told = await doctor({ env: { HOLDFAST_STORE: `http://127.0.0.1:${port}` } });
    expect(told.code).toBe(1);
    const [clock] = about(told, "clock");
    expect(clock).toMatchObject({ ok: false, todo: expect.stringContaining("NTP") });
    expect(clock?.says).toMatch(/clock is (59m 5\ds|1h) behind that of http:/);
  });

  test("an HTTP date counts whole seconds, and the way takes time", () => {
    expect(skewOf(10_000, 10_900, 11_000)).toBe(0);
    expect(skewOf(10_000, 9_000, 9_500)).toBe(500);
    expect(skewOf(10_000, 12_000, 12_500)).toBe(-1_000);
  });

  test("a hosted runner with a file store that nobody named", async () => {
    const env = {
      GITHUB_ACTIONS: "true",
      RUNNER_ENVIRONMENT: "github-hosted",
      RUNNER_TEMP: temporaryDirectory(),
    };
    mkdirSync(join(env.RUNNER_TEMP, "x"));
    const told = await doctor({ env: { ...env, HOLDFAST_STORE: temporaryDirectory() } });
    expect([told.code, about(told, "store")[0]?.ok]).toEqual([1, false]);
  });
});
