import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hasRedis, type Redis, startRedis } from "../../helpers/engines/redis.ts";
import { type Recorder, startRecorder } from "../../helpers/recorder.ts";
import type { CommandStep } from "../runner/job.ts";
import { openScene } from "../scene.ts";

/**
 * A step that was given no secret tries to have the secrets of the action's own stages sent to a
 * server of its own: by the lease file, which it can write, or by the environment of later steps.
 */

/** Kills the keeper and has the lease file name another store. */
function rewrite(store: string): CommandStep {
  const code = `
    const { readFileSync, writeFileSync } = require("node:fs");
    const path = process.env.HOLDFAST_LEASE;
    const lease = JSON.parse(readFileSync(path, "utf8"));
    process.kill(lease.keeper.pid, "SIGKILL");
    writeFileSync(path, JSON.stringify({ ...lease, store: process.argv[1] }));`;
  return { id: "attack", run: [process.execPath, "-e", code, store] };
}

describe.skipIf(!hasRedis)("a lease file that a step rewrites", () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const elsewhere: readonly [kind: string, url: (stranger: Recorder) => string][] = [
    ["an engine", ({ port }) => `redis://ci@127.0.0.1:${port}/1`],
    ["a repository", ({ port }) => `git+http://127.0.0.1:${port}/x.git`],
    ["a lock server", ({ port }) => `http://127.0.0.1:${port}`],
  ];

  test.each(elsewhere)("post sends %s nothing, and says so", async (_, url) => {
    const { password, fresh } = await redis.protect();
    const stranger = await startRecorder();
    const scene = openScene({ store: await fresh(false), token: password });
    const job = scene.job({ steps: [scene.lock({ token: password }), rewrite(url(stranger))] });
    const report = await job.finished;
    expect(stranger.heard()).toBe("");
    expect(report.annotations("warning").join()).toMatch(/nothing was sent there/);
    expect(report.stage("lock", "post").code).toBe(0);
  });

  test.each(elsewhere)("main sends %s nothing, and fails", async (_, url) => {
    const { password, fresh } = await redis.protect();
    const stranger = await startRecorder();
    const scene = openScene({ store: await fresh(false), token: password });
    const job = scene.job({ steps: [rewrite(url(stranger)), scene.lock({ token: password })] });
    const report = await job.finished;
    expect(stranger.heard()).toBe("");
    expect(report.stage("lock").code).toBe(1);
    expect(report.annotations("error").join()).toMatch(/nothing was sent there/);
  });

  test("the password in the store's URL stays where it is, too", async () => {
    const { password, fresh } = await redis.protect();
    const stranger = await startRecorder();
    const scene = openScene({ store: await fresh(true), token: password });
    const steps = [scene.lock(), rewrite(`redis://ci@127.0.0.1:${stranger.port}/1`)];
    await scene.job({ steps }).finished;
    expect(stranger.heard()).toBe("");
  });

  test("a keeper that was killed, and a lease that is as it was: released without it", async () => {
    const { password, fresh } = await redis.protect();
    const store = await fresh(false);
    const scene = openScene({ store, token: password });
    const steps = [scene.lock({ token: password }), rewrite(store)];
    const report = await scene.job({ steps }).finished;
    expect(report.annotations("warning").join()).toMatch(/was released without a keeper/);
    await scene.isTidy();
  });
});

describe("HOLDFAST_STORE that a step writes", () => {
  const setStore = (store: string): CommandStep => ({
    id: "attack",
    run: [
      process.execPath,
      "-e",
      'require("node:fs").appendFileSync(process.env.GITHUB_ENV, process.argv[1])',
      `HOLDFAST_STORE=${store}\n`,
    ],
  });

  test.each(["http", "tcp", "redis"])("gets no token input: %s", async (scheme) => {
    const stranger = await startRecorder();
    const scene = openScene();
    const lock = scene.lock({ store: "", token: "s3cret", stage: "main" });
    const store = `${scheme}://127.0.0.1:${stranger.port}`;
    const report = await scene.job({ steps: [setStore(store), lock] }).finished;
    expect(stranger.heard()).toBe("");
    expect(report.stage("lock").code).toBe(1);
    expect(report.annotations("error").join()).toMatch(/Input token: .*name it in the input store/);
  });

  test("has no say where the step names its store, and goes with the environment's own token", async () => {
    const stranger = await startRecorder();
    const own = await startRecorder();
    const scene = openScene();
    const named = { store: `http://127.0.0.1:${own.port}`, token: "s3cret", stage: "main" };
    const attack = setStore(`http://127.0.0.1:${stranger.port}`);
    await scene.job({ steps: [attack, scene.lock(named)] }).finished;
    expect(stranger.heard()).toBe("");
    expect(own.heard()).toContain("s3cret");
    const both = { HOLDFAST_STORE: `http://127.0.0.1:${own.port}`, HOLDFAST_TOKEN: "both-of-env" };
    await scene.job({ env: both, steps: [scene.lock({ store: "" })] }).finished;
    expect(own.heard()).toContain("both-of-env");
  });
});

describe("a saved state that a step plants in the environment", () => {
  /** What pre would have saved, with the stranger's store. `acquired`: else pre was killed while it waited. */
  const plant = (store: string, acquired = true): CommandStep => ({
    id: "attack",
    run: [
      process.execPath,
      "-e",
      `const { appendFileSync, writeFileSync } = require("node:fs");
       const [store, acquired] = process.argv.slice(1);
       const leaseFile = process.env.RUNNER_TEMP + "/planted.json";
       const key = "production", now = new Date().toISOString();
       const lease = { version: 1, key, store, owner: "x", since: now, token: "x", fence: 1, slot: 0,
         ttl: 1e9, waited: 0, state: "held", keeper: { pid: 1, start: null, boot: null,
         namespace: null, host: "elsewhere" }, socket: "/nowhere", watched: null, job: null,
         storeOptions: {} };
       writeFileSync(leaseFile, JSON.stringify(lease));
       const inputs = { key, keys: [key], store, until: "job", history: "auto", required: true };
       const outcome = acquired && { acquired: true, fence: 1, fences: {}, slot: 0, waited: 0, since: now,
         until: null, ahead: [], expected: null, frozen: null };
       const state = { inputs, owner: "x", store, leaseFile, keeper: null, started: 1, outcome: outcome || null };
       appendFileSync(process.env.GITHUB_ENV, "STATE_holdfast=" + JSON.stringify(state) + "\\n");`,
      store,
      acquired ? "acquired" : "",
    ],
  });

  test.each([
    ["main", { stage: "main" }],
    ["post of a step that is turned off", { enabled: "false" }],
    ["post of a step that only looks", { mode: "check" }],
  ])("is not believed by %s", async (_, inputs) => {
    const stranger = await startRecorder();
    const scene = openScene();
    const lock = scene.lock({ token: "s3cret", ...inputs });
    const attack = plant(`redis://127.0.0.1:${stranger.port}`);
    const report = await scene.job({ steps: [attack, lock] }).finished;
    expect(stranger.heard()).toBe("");
    expect(report.result).toBe("success");
    await scene.isTidy();
  });

  // A runner runs no pre of a local action, which would have cleared it.
  test.each([
    ["main, of an engine", "redis", {}, true],
    ["main, of a server", "http", {}, true],
    ["main of a step that names no store", "http", { store: "" }, true],
    ["post, with a claim without an outcome", "redis", {}, false],
    ["post of a step that is turned off", "http", { enabled: "false" }, true],
  ])("gets no secret where no pre ran, from %s", async (_, scheme, inputs, acquired) => {
    const stranger = await startRecorder();
    const scene = openScene();
    const lock = { ...scene.lock({ token: "s3cret", ...inputs }), local: true };
    const attack = plant(`${scheme}://127.0.0.1:${stranger.port}`, acquired);
    const report = await scene.job({ steps: [attack, lock] }).finished;
    expect(stranger.heard()).toBe("");
    expect(report.log("lock")).toMatch(/nothing was sent there/);
  });
});
