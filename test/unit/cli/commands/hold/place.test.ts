import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { leasesIn, readLeaseFile } from "../../../../../src/keeper/lease-file.ts";
import type { KeyStatus } from "../../../../../src/lock/status.ts";
import { cli, environment, json, startCli } from "../../../../helpers/cli/cli.ts";
import { hold } from "../../../../helpers/cli/holding.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { isAlive, type Running, start } from "../../../../helpers/processes.ts";
import { until } from "../../../../helpers/waiting.ts";

/** A job on one machine: what it runs shares a store and a directory of leases. */
interface Job {
  readonly env: { readonly HOLDFAST_STORE: string; readonly RUNNER_TEMP: string };
  readonly leases: string;
}

const jobs: Job[] = [];

function jobIn(store = join(temporaryDirectory(), "locks")): Job {
  const temp = temporaryDirectory();
  const job = {
    env: { HOLDFAST_STORE: store, RUNNER_TEMP: temp },
    leases: join(temp, "holdfast"),
  };
  jobs.push(job);
  return job;
}

afterEach(async () => {
  for (const { leases } of jobs.splice(0)) {
    for (const { lease } of leasesIn(leases)) {
      const { keeper } = lease;
      if (keeper === null) continue;
      if (isAlive(keeper.pid)) process.kill(keeper.pid, "SIGTERM");
      await until(() => !isAlive(keeper.pid));
    }
  }
});

const PID = ["--until-pid", String(process.pid)];

async function joinLine(at: Job, ...more: string[]): Promise<string> {
  const joined = await cli(["acquire", "k", "--join", "--quiet", ...PID, ...more], at);
  expect(joined).toMatchObject({ code: 0, stderr: "" });
  return joined.stdout.trim();
}

async function status(at: Job, key = "k"): Promise<KeyStatus> {
  return json<KeyStatus>(await cli(["status", key, "--json"], at));
}

describe("a place in line", () => {
  test("keeps nobody out, is shown as not ready, and is taken when it is wanted", async () => {
    const at = jobIn();
    const path = await joinLine(at);
    expect(readLeaseFile(path)).toMatchObject({ state: "waiting", fence: null, slots: [] });
    expect(await status(at)).toMatchObject({ holders: [], waiters: [{ ready: false }] });
    expect((await cli(["status", "k", "--exit-code"], at)).code).toBe(0);
    expect((await cli(["status", "k"], at)).stdout).toContain("not ready yet");
    const verified = await cli(["verify", "k"], at);
    expect(verified).toMatchObject({ code: 1 });
    expect(verified.stderr).toContain("stands in line");

    // Another job is served past it, and it keeps its place.
    const other = jobIn(at.env.HOLDFAST_STORE);
    expect((await cli(["run", "k", "--", "true"], other)).code).toBe(0);
    expect((await status(at)).waiting).toBe(1);

    const taken = await cli(["take", "k", "--quiet"], at);
    expect(taken).toMatchObject({ code: 0, stdout: `${path}\n` });
    expect(readLeaseFile(path)).toMatchObject({ state: "held", slots: [0] });
    expect((await cli(["verify", "k"], at)).code).toBe(0);
    // Taken already is taken.
    expect((await cli(["take", "--lease", path], at)).code).toBe(0);
    expect((await cli(["release", "k"], at)).stderr).toContain("was released");
    expect(await status(at)).toMatchObject({ holders: [], waiting: 0 });
  });

  test("is before those that came later, though these are ready", async () => {
    const at = jobIn();
    const holder = await hold(at);
    const path = await joinLine(jobIn(at.env.HOLDFAST_STORE));
    const later = startCli(["run", "k", "--owner", "later", "--", "echo", "mine"], at);
    await later.prints(/waiting for k/, "stderr");
    const job = jobs.at(-1) as Job;
    const taking = startCli(["take", "--lease", path], { env: environment(job.env) });
    await taking.prints(/waiting for k: 1st in line/, "stderr");
    holder.process.stdin?.end();
    expect((await taking.ended).code).toBe(0);
    expect((await status(at)).waiters).toMatchObject([{ owner: "later" }]);
    expect((await cli(["release", "--lease", path], job)).code).toBe(0);
    expect((await later.ended).stdout).toBe("mine\n");
  });

  test("is told with the command that takes it, and the timeout that was given", async () => {
    const at = jobIn();
    const args = ["acquire", "k", "--join", "--timeout", "2h", ...PID];
    const { stderr } = await cli(args, at);
    expect(stderr).toContain("in line for k; to take the lock: holdfast take k --timeout 2h\n");
    expect((await cli(["take", "k", "--timeout", "2h"], at)).code).toBe(0);
    expect((await cli(["release", "k"], at)).code).toBe(0);
  });

  test("that is not taken in time is given up: 1, and nothing is left", async () => {
    const at = jobIn();
    const holder = await hold(at);
    const job = jobIn(at.env.HOLDFAST_STORE);
    const path = await joinLine(job);
    for (const timeout of ["0", "300ms"]) {
      const file = timeout === "0" ? path : await joinLine(job);
      const late = await cli(["take", "--lease", file, "--timeout", timeout, "--json"], job);
      expect(late.code).toBe(1);
      expect(json(late)).toMatchObject({ error: { code: "TIMEOUT" } });
      expect(readLeaseFile(file)).toBeNull();
      expect((await status(at)).waiting).toBe(0);
    }
    holder.process.stdin?.end();
    await holder.ended;
  });

  test("is left by release, by an interrupted take, and with the process that it was kept for", async () => {
    const at = jobIn();
    const holder = await hold(at);
    const job = jobIn(at.env.HOLDFAST_STORE);
    const released = await cli(["release", "--lease", await joinLine(job)], job);
    expect(released).toMatchObject({ code: 0 });
    expect(released.stderr).toContain("has left the line");
    expect((await status(at)).waiting).toBe(0);

    const taking = startCli(["take", "--lease", await joinLine(job)], {
      env: environment(job.env),
    });
    await taking.prints(/waiting for k/, "stderr");
    taking.process.kill("SIGINT");
    expect((await taking.ended).code).toBe(130);
    await expect.poll(async () => (await status(at)).waiting).toBe(0);

    const watched: Running = start(process.execPath, ["-e", "process.stdin.resume()"]);
    await cli(["acquire", "k", "--join", "--until-pid", String(watched.pid)], job);
    expect((await status(at)).waiting).toBe(1);
    watched.process.kill("SIGKILL");
    await expect.poll(async () => (await status(at)).waiting).toBe(0);
    holder.process.stdin?.end();
    await holder.ended;
  });

  test("outlives a step that empties the job's directory, and can be taken or left", async () => {
    const at = jobIn();
    const path = await joinLine(at);
    rmSync(at.leases, { recursive: true });
    await until(() => existsSync(path));
    expect((await cli(["take", "k"], at)).code).toBe(0);
    expect((await status(at)).holders).toHaveLength(1);
    expect((await cli(["release", "k"], at)).code).toBe(0);
    const other = await joinLine(at);
    rmSync(at.leases, { recursive: true });
    await until(() => existsSync(other));
    expect((await cli(["release", "k"], at)).stderr).toContain("has left the line");
    expect(await status(at)).toMatchObject({ holders: [], waiting: 0 });
  });

  test("goes with its keeper, and whoever would take it is told", async () => {
    const at = jobIn();
    const path = await joinLine(at);
    const keeper = readLeaseFile(path)?.keeper?.pid as number;
    process.kill(keeper, "SIGKILL");
    await until(() => !isAlive(keeper));
    const taken = await cli(["take", "--lease", path, "--json"], at);
    expect(taken.code).toBe(2);
    expect(json(taken)).toMatchObject({ error: { code: "KEEPER_GONE" } });
    expect(
      (await cli(["run", "k", "--timeout", "0", "--", "true"], jobIn(at.env.HOLDFAST_STORE))).code,
    ).toBe(0);
  });

  test("of several keys is one in the line of each, and takes all of them", async () => {
    const at = jobIn();
    const path = await joinLine(at, "--also", "other");
    for (const key of ["k", "other"])
      expect(await status(at, key)).toMatchObject({ holders: [], waiters: [{ ready: false }] });
    const taken = await cli(["take", "--lease", path, "--json"], at);
    expect(Object.keys(json<{ fences: object }>(taken).fences)).toEqual(["k", "other"]);
    expect((await cli(["release", "--lease", path], at)).code).toBe(0);
    for (const key of ["k", "other"]) expect(await status(at, key)).toMatchObject({ waiting: 0 });
  });

  test("with line: newest is ended by a newer claim, and take says so", async () => {
    const at = jobIn();
    const path = await joinLine(at, "--line", "newest");
    const newer = jobIn(at.env.HOLDFAST_STORE);
    await joinLine(newer, "--line", "newest", "--owner", "the-newer-one");
    await until(() => readLeaseFile(path)?.state === "lost");
    const taken = await cli(["take", "--lease", path, "--json"], at);
    expect(taken.code).toBe(1);
    expect(json(taken)).toMatchObject({ error: { code: "SUPERSEDED", by: "the-newer-one" } });
  });

  test.each([
    [["acquire", "k", "--join", "--detach"], "BAD_OPTION", 2],
    [["take", "nobody"], "LOCK_LOST", 1],
    [["acquire", "k", "--join", ...PID, "--store", "tcp://127.0.0.1:1"], "NOT_SUPPORTED", 2],
  ])("%s is refused", async (args, code, exit) => {
    const ended = await cli([...args, "--json"], jobIn());
    expect(json(ended)).toMatchObject({ error: { code } });
    expect(ended.code).toBe(exit);
  });
});
