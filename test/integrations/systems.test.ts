import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/index.ts";
import type { Store } from "../../src/lock/store.ts";
import { CLI, environment } from "../helpers/cli/cli.ts";
import { temporaryDirectory } from "../helpers/directories.ts";
import { type Running, start } from "../helpers/processes.ts";
import { until } from "../helpers/waiting.ts";
import { type Lock, SYSTEMS, type System } from "./jobs.ts";

/** The scripts for other CI systems, with the variables of those systems, real shells and the real command. */

const KEY = "production";
let directory: string;
let store: Store;
let jobs: number;

beforeEach(async () => {
  directory = temporaryDirectory();
  jobs = 0;
  const bin = join(directory, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "holdfast"), `#!/bin/sh\nexec "${process.execPath}" "${CLI}" "$@"\n`);
  chmodSync(join(bin, "holdfast"), 0o755);
  store = await openStore(join(directory, "locks"));
  return () => store.close();
});

interface Job {
  readonly run: Running;
  readonly owner: RegExp;
  /** Resolves once the job's command runs. */
  inside(): Promise<unknown>;
  /** Lets the command end. */
  open(): Promise<void>;
}

/** A job whose command checks the lock, says that it is inside, waits at a gate, and ends with a code. */
function startJob(system: System, lock: Partial<Lock> = {}, code = 0): Job {
  const number = 501 + jobs++;
  const folder = join(directory, `job-${number}`);
  mkdirSync(folder);
  const gate = join(folder, "gate");
  execFileSync("mkfifo", [gate]);
  const command = `holdfast verify && echo inside && read -r word < '${gate}'; exit ${code}`;
  const script = system.script(folder, command);
  const run = start("/bin/bash", ["-c", script], {
    cwd: folder,
    env: environment({
      PATH: [join(directory, "bin"), process.env.PATH].join(delimiter),
      HOLDFAST_STORE: join(directory, "locks"),
      ...system.env(number),
      ...system.settings({ key: KEY, timeout: "5m", ...lock }),
    }),
  });
  return {
    run,
    owner: new RegExp(`^ci-${system.name}-.*${number}`),
    inside: () => run.prints(/^inside$/m),
    open: () => writeFile(gate, "go\n"),
  };
}

const holders = async () => (await store.inspect(KEY)).holders.map(({ owner }) => owner);

describe.each(SYSTEMS)("on $name", (system) => {
  test("two jobs have the lock one after the other, and it is free at the end", async () => {
    const first = startJob(system);
    await first.inside();
    expect(await holders()).toEqual([expect.stringMatching(first.owner)]);
    const second = startJob(system);
    await second.run.prints(/waiting for production/, "stderr");
    expect(second.run.stdout()).not.toContain("inside");
    await first.open();
    expect((await first.run.ended).code).toBe(0);
    await second.inside();
    expect(await holders()).toEqual([expect.stringMatching(second.owner)]);
    await second.open();
    expect((await second.run.ended).code).toBe(0);
    await until(async () => (await holders()).length === 0);
  });

  test("a job that fails has released the lock, and has failed with its own code", async () => {
    const job = startJob(system, {}, 3);
    await job.inside();
    await job.open();
    expect((await job.run.ended).code).toBe(3);
    await until(async () => (await holders()).length === 0);
  });

  test("a job that does not get the lock runs nothing, fails, and leaves it to its holder", async () => {
    const holding = await store.claim({ key: KEY, owner: { id: "somebody", metadata: {} } });
    const job = startJob(system, { timeout: "0" });
    const { code, stdout, stderr } = await job.run.ended;
    expect(code).not.toBe(0);
    expect(stdout).not.toContain("inside");
    expect(stderr).toMatch(/was not acquired.*held by somebody/);
    expect(await holders()).toEqual(["somebody"]);
    expect(await holding.release()).toBe("released");
  });

  test("a key is text, whatever it looks like, and a store can be named", async () => {
    const elsewhere = join(directory, "else where");
    const key = `$(touch "${join(directory, "hurt")}") 'x"; #`;
    const job = startJob(system, { key, store: elsewhere });
    await job.inside();
    const other = await openStore(elsewhere);
    expect((await other.inspect(key)).holders).toMatchObject([
      { owner: expect.stringMatching(job.owner) },
    ]);
    await job.open();
    expect((await job.run.ended).code).toBe(0);
    await until(async () => (await other.inspect(key)).holders.length === 0);
    await other.close();
    expect(() => execFileSync("ls", [join(directory, "hurt")], { stdio: "ignore" })).toThrow();
  });

  if (system.isWatched) {
    test("a job that is killed with kill -9 frees the lock", async () => {
      const job = startJob(system);
      await job.inside();
      job.run.killGroup("SIGKILL");
      await job.run.ended;
      await until(async () => (await holders()).length === 0);
    });
  } else {
    test("a lock that was lost fails the job at its end", async () => {
      const job = startJob(system);
      await job.inside();
      await store.break(KEY, { reason: "a test", owner: "tester" });
      await job.open();
      expect((await job.run.ended).code).not.toBe(0);
    });
  }
});
