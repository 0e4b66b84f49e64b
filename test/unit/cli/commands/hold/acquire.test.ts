import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { leasesIn } from "../../../../../src/keeper/lease-file.ts";
import type { KeyStatus } from "../../../../../src/lock/status.ts";
import { type CallOptions, CLI, cli, environment, json } from "../../../../helpers/cli/cli.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { isAlive, type Running, start } from "../../../../helpers/processes.ts";
import { until } from "../../../../helpers/waiting.ts";

interface Script extends CallOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly leases: string;
  readonly folder: string;
}

const scripts: Script[] = [];

/** A store and a lease directory of their own; keepers that a test leaves behind are let go. */
function script(more: NodeJS.ProcessEnv = {}): Script {
  const folder = temporaryDirectory();
  const env = { HOLDFAST_STORE: join(folder, "locks"), RUNNER_TEMP: join(folder, "temp"), ...more };
  const made = { env, folder, leases: join(folder, "temp", "holdfast") };
  scripts.push(made);
  return made;
}

afterEach(async () => {
  for (const { leases } of scripts.splice(0)) {
    for (const { lease } of leasesIn(leases)) {
      const { keeper } = lease;
      if (keeper === null) continue;
      if (isAlive(keeper.pid)) process.kill(keeper.pid, "SIGTERM");
      await until(() => !isAlive(keeper.pid));
    }
  }
});

/** A process that lives until the test ends it. */
function bystander(): Running {
  return start(process.execPath, ["-e", "console.log('ready'); process.stdin.resume()"]);
}

async function status(at: Script, key = "k"): Promise<KeyStatus> {
  return json<KeyStatus>(await cli(["status", key, "--json"], at));
}

async function isFree(at: Script, key = "k"): Promise<boolean> {
  return (await cli(["status", key, "--exit-code", "--quiet"], at)).code === 0;
}

describe("acquire", () => {
  test("prints the lease file, 0600, and the lock is held until the named process ends", async () => {
    const at = script();
    const watched = bystander();
    const ended = await cli(["acquire", "k", "--until-pid", String(watched.pid)], at);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    const path = ended.stdout.trim();
    expect(path.startsWith(`${at.leases}/`)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await status(at)).holders).toMatchObject([{ alive: true }]);
    watched.kill("SIGKILL");
    await until(() => isFree(at));
    await until(() => readdirSync(at.leases).length === 0);
  });

  test("--json prints the lease in seconds, without its token", async () => {
    const at = script();
    const ended = await cli(["acquire", "k", "--until-pid", String(process.pid), "--json"], at);
    const lease = json(ended);
    expect(Object.keys(lease).sort()).toEqual(
      "fence key lease owner resources since slot slots store ttl waited".split(" "),
    );
    const { token } = JSON.parse(readFileSync(String(lease.lease), "utf8"));
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(ended.stdout + ended.stderr).not.toContain(token);
    expect(lease.owner).toMatch(new RegExp(`^pid-${process.pid}@`));
  });

  test("not acquired in time: 1, and no keeper is left", async () => {
    const at = script();
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const other = { ...at, env: { ...at.env, RUNNER_TEMP: join(at.folder, "other") } };
    const ended = await cli(["acquire", "k", "--timeout", "0", "--json"], other);
    expect(ended.code).toBe(1);
    expect(json(ended)).toMatchObject({ error: { code: "TIMEOUT" } });
    expect(readdirSync(join(at.folder, "other", "holdfast"))).toEqual([]);
  });

  test("a second claim of the same job is refused at once", async () => {
    const at = script();
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const ended = await cli(["acquire", "k", "--json"], at);
    expect(ended.code).toBe(2);
    expect(json(ended)).toMatchObject({ error: { code: "ALREADY_HELD" } });
  });

  test("interrupted while it waits: leaves the line, 128 + n", async () => {
    const at = script();
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const env = environment({ ...at.env, RUNNER_TEMP: join(at.folder, "other") });
    const waiting = start(process.execPath, [CLI, "acquire", "k"], { env });
    await waiting.prints(/waiting for k/, "stderr");
    waiting.kill("SIGINT");
    expect(await waiting.ended).toMatchObject({ code: 130 });
    await until(async () => (await status(at)).waiting === 0);
  });

  test("killed while it waits: its keeper leaves the line", async () => {
    const at = script();
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const env = environment({ ...at.env, RUNNER_TEMP: join(at.folder, "other") });
    const waiting = start(process.execPath, [CLI, "acquire", "k"], { env });
    await waiting.prints(/waiting for k/, "stderr");
    waiting.kill("SIGKILL");
    await until(async () => (await status(at)).waiting === 0);
  });

  test("--detach outlives its caller, and is let go at its ttl", async () => {
    const at = script();
    const ended = await cli(["acquire", "k", "--detach", "--ttl", "3s", "--json"], at);
    expect(json(ended)).toMatchObject({ ttl: 3 });
    expect(await isFree(at)).toBe(false);
    await until(() => isFree(at));
    await until(() => readdirSync(at.leases).length === 0);
    const log = readFileSync(join(at.folder, "locks", ".lock_audit.log"), "utf8");
    expect(log).toContain('"operation":"release"');
    expect(log).not.toContain('"operation":"loss"');
  });

  test.each([
    ["a pid that is not there", ["--until-pid", "999999999"]],
    ["a pid that is no number", ["--until-pid", "me"]],
    ["pid 0", ["--until-pid", "0"]],
    ["both", ["--until-pid", "1", "--detach"]],
  ])("%s is bad input", async (_, options) => {
    const ended = await cli(["acquire", "k", ...options, "--json"], script());
    expect(ended.code).toBe(2);
    expect(json(ended)).toMatchObject({ error: { code: "BAD_OPTION" } });
  });
});

describe("release and verify", () => {
  test("by key: held, let go, already gone", async () => {
    const at = script();
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    expect((await cli(["verify", "k"], at)).code).toBe(0);
    expect(await cli(["release", "k"], at)).toMatchObject({ code: 0 });
    expect(await isFree(at)).toBe(true);
    expect((await cli(["verify", "k"], at)).code).toBe(1);
    expect(await cli(["release", "k"], at)).toMatchObject({ code: 0 });
  });

  test("by lease file, by --lease or HOLDFAST_LEASE", async () => {
    const at = script();
    const acquired = await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const lease = acquired.stdout.trim();
    const later = { ...at, env: { ...at.env, HOLDFAST_LEASE: lease } };
    expect((await cli(["verify", "--lease", lease], at)).code).toBe(0);
    expect((await cli(["verify"], later)).code).toBe(0);
    expect(json(await cli(["release", "--json"], later))).toMatchObject({
      key: "k",
      outcome: "released",
    });
    expect((await cli(["verify"], later)).code).toBe(1);
    expect((await cli(["release"], later)).code).toBe(0);
  });

  test("verify by key and fence asks the store", async () => {
    const at = script();
    const { fence } = json(
      await cli(["acquire", "k", "--until-pid", String(process.pid), "--json"], at),
    );
    const by = (number: unknown) => cli(["verify", "k", "--fence", String(number)], at);
    expect((await by(fence)).code).toBe(0);
    expect(await by(Number(fence) - 1)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /"k" is not held with fence \d+: it is held by .+ with fence \d+/,
      ),
    });
    expect((await by("x")).code).toBe(2);
  });

  test("verify by lease and fence: both must hold, and the fence be a number", async () => {
    const at = script();
    const acquired = await cli(["acquire", "k", "--until-pid", String(process.pid), "--json"], at);
    const { fence, lease } = json<{ fence: number; lease: string }>(acquired);
    const by = (number: unknown) => cli(["verify", "--lease", lease, `--fence=${number}`], at);
    expect((await by(fence)).code).toBe(0);
    const other = await by(fence - 1);
    expect(other.code).toBe(1);
    expect(other.stderr).toContain(`its lease has the fence ${fence}, not ${fence - 1}`);
    for (const wrong of ["x", "", "-1", "1.5"]) {
      expect(await by(wrong)).toMatchObject({ code: 2, stdout: "" });
    }
    expect((await cli(["verify", "--fence=x"], at)).code).toBe(2);
  });

  test("a lock that was broken: verify says no and why, release leaves the next holder's alone", async () => {
    const at = script();
    const acquired = await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const lease = acquired.stdout.trim();
    await cli(["break", "k", "--reason", "test"], at);
    await until(() => leasesIn(at.leases)[0]?.lease.state === "lost");
    const verified = await cli(["verify", "--lease", lease], at);
    expect(verified.code).toBe(1);
    expect(verified.stderr).toContain("broken by");
    const other = { ...at, env: { ...at.env, RUNNER_TEMP: join(at.folder, "other") } };
    const next = json(
      await cli(["acquire", "k", "--until-pid", String(process.pid), "--json"], other),
    );
    const released = await cli(["release", "--lease", lease], at);
    expect(released.code).toBe(0);
    expect(released.stderr).toMatch(/"k" was already gone: .*broken by.* It is held by /);
    expect((await status(at)).holders).toMatchObject([{ fence: next.fence, alive: true }]);
    await cli(["release", "k"], other);
  });

  test("another job of the same agent does not let go what it never had", async () => {
    const job = (id: string) => ({ CI_SYSTEM: "forge", CI_RUN_ID: id, CI: "true" });
    const at = script(job("1"));
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const second = { ...at, env: { ...at.env, ...job("2") } };
    const ended = await cli(["release", "k"], second);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("held by ci-forge-1");
    expect(await isFree(at)).toBe(false);
    expect((await cli(["release", "k"], at)).code).toBe(0);
  });

  test("a keeper that was killed: its lock is let go without it", async () => {
    const at = script();
    await cli(["acquire", "k", "--until-pid", String(process.pid)], at);
    const keeper = leasesIn(at.leases)[0]?.lease.keeper?.pid as number;
    process.kill(keeper, "SIGKILL");
    await until(() => !isAlive(keeper));
    expect((await cli(["verify", "k"], at)).code).toBe(1);
    expect((await cli(["release", "k"], at)).code).toBe(0);
    expect((await status(at)).holders).toEqual([]);
    expect(readdirSync(at.leases)).toEqual([]);
  });

  test.each([
    ["release", ["release"]],
    ["verify", ["verify"]],
  ])("%s without a key or a lease is bad input", async (_, args) => {
    expect((await cli(args, script())).code).toBe(2);
  });

  test("a file that is no lease is bad input", async () => {
    const ended = await cli(["release", "--lease", "package.json", "--json"], script());
    expect(ended.code).toBe(2);
    expect(json(ended)).toMatchObject({ error: { code: "BAD_LEASE_FILE" } });
  });
});
