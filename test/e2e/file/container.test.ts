import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { leasesIn } from "../../../src/keeper/lease-file.ts";
import { openStore } from "../../../src/stores/open.ts";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { childrenOf, start } from "../../helpers/processes.ts";
import { until } from "../../helpers/waiting.ts";
import { ACTION, filesIn } from "../scene.ts";

const namespaces =
  process.platform === "linux" &&
  spawnSync("unshare", ["--pid", "--fork", "--mount-proc", "true"]).status === 0;

/** What a container job is to the action: every stage is sent in from outside, so it has no parent there. */
async function openContainer() {
  const directory = temporaryDirectory();
  const temp = join(directory, "_temp");
  mkdirSync(temp);
  const files = ["state", "output", "env", "path", "step_summary"].map((name) => {
    const path = join(directory, name);
    writeFileSync(path, "");
    return [`GITHUB_${name.toUpperCase()}`, path];
  });
  const env = {
    PATH: process.env.PATH,
    ...Object.fromEntries(files),
    RUNNER_TEMP: temp,
    GITHUB_ACTIONS: "true",
    GITHUB_RUN_ID: "1",
    GITHUB_RUN_ATTEMPT: "1",
    GITHUB_JOB: "deploy",
    GITHUB_WORKSPACE: directory,
    INPUT_KEY: "production",
    INPUT_STORE: join(directory, "locks"),
    "INPUT_DEAD-AFTER": "1s",
  };
  const inside = ["--pid", "--fork", "--mount-proc", "--kill-child", "sleep", "600"];
  const container = start("unshare", inside);
  await until(() => childrenOf(container.pid).length === 1);
  const init = String(childrenOf(container.pid)[0]);
  await until(() => readFileSync(`/proc/${init}/comm`, "utf8") === "sleep\n");
  const run = (stage: "pre" | "main" | "post") => {
    const program = join(ACTION, "dist", stage, "index.js");
    const state = /^holdfast<<(\S+)\n([\s\S]*?)\n\1$/m;
    const saved = [
      ...readFileSync(env.GITHUB_STATE as string, "utf8").matchAll(new RegExp(state, "gm")),
    ];
    const words = ["--target", init, "--pid", "--mount", process.execPath, program];
    return spawnSync("nsenter", words, {
      env: { ...env, STATE_holdfast: saved.at(-1)?.[2] ?? "" },
      encoding: "utf8",
    });
  };
  const store = await openStore(env.INPUT_STORE);
  return { run, container, temp, leases: join(temp, "holdfast"), store };
}

describe.runIf(namespaces)("a container job", () => {
  test("claims the lock, has no process to watch, and releases in post", async () => {
    const { run, leases, store } = await openContainer();
    expect(run("pre")).toMatchObject({ status: 0 });
    expect(leasesIn(leases)).toMatchObject([{ lease: { watched: null, state: "held" } }]);
    expect(run("main")).toMatchObject({ status: 0 });
    const post = run("post");
    expect(post).toMatchObject({ status: 0 });
    expect(post.stdout).toMatch(/production released/);
    expect((await store.inspect("production")).holders).toEqual([]);
    expect(filesIn(leases)).toEqual([]);
  });

  test("whose worker is gone is over when the runner empties its directory", async () => {
    const { run, temp, store } = await openContainer();
    expect(run("pre")).toMatchObject({ status: 0 });
    expect((await store.inspect("production")).holders).toHaveLength(1);
    rmSync(join(temp, "holdfast"), { recursive: true });
    await until(async () => (await store.inspect("production")).holders.length === 0);
    expect(filesIn(temp).filter((name) => !name.startsWith("holdfast-bin"))).toEqual([]);
  });

  test("that is removed leaves a lock that others take after its lease", async () => {
    const { run, container, store } = await openContainer();
    expect(run("pre")).toMatchObject({ status: 0 });
    container.kill("SIGKILL");
    await container.ended;
    // It was in another pid namespace: only its silence tells.
    expect((await store.inspect("production")).holders).toMatchObject([{ alive: null }]);
    const next = await store.claim({ key: "production", owner: { id: "next", metadata: {} } });
    expect(next.reclaimed).toMatchObject({ reason: "HOLDER_DEAD" });
    await next.release();
  });
});
