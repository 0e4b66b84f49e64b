import { lstatSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/processes.ts";
import type { ServerProcess } from "../../helpers/server/server.ts";
import { gateStep, type JobReport } from "../runner/start-job.ts";
import { filesIn, KEY, leaseDirectoryOf, leaseOf, openScene, ownerOf } from "../scene.ts";
import {
  contended,
  type Door,
  isTidy,
  openServed,
  saysNothing,
  startServed,
  storeAt,
  verify,
  waits,
} from "./served.ts";

const SECRET = "s3cr3t-of-the-lock-server";

/** The life of a job again, with a lock server in place of a lock directory. */
export function lifeTests(door: Door): void {
  test("success: outputs, environment and a fence, held from pre to post", async () => {
    const scene = await openServed(door);
    const show = { id: "show", run: [process.execPath, "-p", "JSON.stringify(process.env)"] };
    const job = scene.job({
      environment: "github-hosted",
      steps: [scene.lock({ note: "v1.2.3" }), gateStep("deploy"), show, verify],
    });
    const gate = await job.gate("deploy");
    const { fence } = leaseOf(job);
    expect(fence).toBeGreaterThan(0);
    expect((await scene.inspect()).holders).toMatchObject([
      { owner: ownerOf(job), fence, note: "v1.2.3", metadata: { repository: "acme/shop" } },
    ]);
    gate.open();
    const report = await job.finished;
    expect(report.result).toBe("success");
    // A server locks hosted runners, too: no warning about lock files.
    saysNothing(report);
    const { outputs } = report.stage("lock");
    expect(outputs).toEqual({
      acquired: "true",
      key: KEY,
      fence: String(fence),
      owner: ownerOf(job),
      waited: expect.stringMatching(/^\d+(\.\d+)?$/),
      store: scene.store,
      lease: expect.stringContaining(leaseDirectoryOf(job)),
    });
    expect(JSON.parse(report.log("show"))).toMatchObject({
      HOLDFAST_KEY: KEY,
      HOLDFAST_FENCE: String(fence),
      HOLDFAST_LEASE: outputs.lease,
      HOLDFAST_STORE: scene.store,
    });
    expect(report.log("lock", "post")).toMatch(/let go/);
    await isTidy(scene);
  });

  test("two jobs: the second waits in the server's line and is handed the lock", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene);
    const { line } = await waits(second);
    expect(line).toContain(ownerOf(first));
    expect((await scene.inspect()).waiters).toMatchObject([
      { owner: ownerOf(second), position: 1 },
    ]);
    const { fence } = leaseOf(first);
    gate.open();
    const next = await second.gate("deploy");
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    expect(leaseOf(second).fence).toBeGreaterThan(fence as number);
    next.open();
    for (const job of [first, second]) {
      const report = await job.finished;
      expect(report.result).toBe("success");
      saysNothing(report);
    }
    await isTidy(scene);
  });

  test("a failing step: the lock is let go all the same", async () => {
    const scene = await openServed(door);
    const job = scene.job({ steps: [scene.lock(), gateStep("deploy", { code: 7 })] });
    (await job.gate("deploy")).open();
    const report = await job.finished;
    expect(report.result).toBe("failure");
    expect(report.stage("lock", "post").code).toBe(0);
    saysNothing(report);
    await isTidy(scene);
  });

  test("cancel while waiting: the server's line is left, and the holder keeps its lock", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene);
    second.cancel();
    const report = await second.finished;
    expect(report.result).toBe("cancelled");
    expect(second.events.filter(({ event }) => event === "signal")).toHaveLength(1);
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error")).toEqual([]);
    expect(await scene.inspect()).toMatchObject({
      waiting: 0,
      holders: [{ owner: ownerOf(first) }],
    });
    gate.open();
    expect((await first.finished).result).toBe("success");
    await isTidy(scene);
  });

  test("required: false and a busy lock: the job goes on without it", async () => {
    const scene = await openServed(door);
    const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
    const gate = await holder.gate("deploy");
    for (const timeout of ["0", "1s"]) {
      const step = scene.lock({ required: "false", timeout });
      const report = await scene.job({ steps: [step, gateless("deploy")] }).finished;
      expect(report.result).toBe("success");
      expect(report.stage("lock").outputs.acquired).toBe("false");
      for (const stage of ["pre", "main"] as const)
        expect(report.stage("lock", stage).env).toEqual({});
      expect(report.annotations("notice")[0]).toContain(ownerOf(holder));
      saysNothing(report);
    }
    expect(await scene.inspect()).toMatchObject({
      waiting: 0,
      holders: [{ owner: ownerOf(holder) }],
    });
    gate.open();
    expect((await holder.finished).result).toBe("success");
    await isTidy(scene);
  });

  test("cancel at any moment of pre: nothing is held afterwards", async () => {
    const scene = await openServed(door);
    for (const after of [0, 60, 100, 140, 180, 240]) {
      const report = await scene.job({
        steps: [scene.lock(), gateStep("deploy")],
        cancelAt: { step: "lock", stage: "pre", after },
      }).finished;
      expect(report.result).toBe("cancelled");
      expect(report.stage("lock", "post").code).toBe(0);
      saysNothing(report);
    }
    await isTidy(scene);
  });

  test("a server's token: accepted, in the lease file alone, in no log, state or output", async () => {
    const server = await startTokenServer(door);
    const scene = openScene({ store: storeAt(door, server), token: SECRET });
    const lock = scene.lock({ token: SECRET });
    const job = scene.job({ steps: [lock, verify, gateStep("deploy")] });
    const gate = await job.gate("deploy");
    const [leaseFile, ...others] = filesIn(scene.directory)
      .map((name) => join(scene.directory, name))
      .filter((path) => !path.endsWith("job.json") && lstatSync(path).isFile())
      .filter((path) => readFileSync(path).includes(SECRET));
    expect(others).toEqual([]);
    expect(leaseFile).toContain(leaseDirectoryOf(job));
    expect(lstatSync(leaseFile as string).mode & 0o777).toBe(0o600);
    expect(await scene.holders()).toEqual([ownerOf(job)]);
    gate.open();
    const report = await job.finished;
    expect(report.result).toBe("success");
    saysNothing(report);
    // The mask itself is the one line that has to name it.
    const lines = job.events.map((event) => JSON.stringify(event));
    const telling = lines.filter((line) => line.includes(SECRET) && !line.includes("::add-mask::"));
    expect(telling).toEqual([]);
    expect(report.log()).not.toContain(SECRET);
    expect(server.stderr()).not.toContain(SECRET);
    await scene.isTidy();
  });

  test("a wrong token, or none: pre fails and says which server asks for one", async () => {
    const server = await startTokenServer(door);
    const scene = openScene({ store: storeAt(door, server), token: SECRET });
    const cases = [
      [{ token: "wr0ng-of-the-lock-server" }, /does not accept the token/],
      [{}, /asks for a token/],
    ] as const;
    for (const [inputs, sentence] of cases) {
      const report = await scene.job({ steps: [scene.lock(inputs), gateless("deploy")] }).finished;
      failsInPre(report, sentence, scene.store);
      expect(report.log()).not.toMatch(/wr0ng|s3cr3t/);
    }
    await scene.isTidy();
  });

  test("a server that cannot be reached: pre fails and names it, also where the lock is not required", async () => {
    const scene = openScene({ store: `${door}://127.0.0.1:${await unusedPort()}` });
    for (const required of ["true", "false"]) {
      const steps = [scene.lock({ required }), gateless("deploy")];
      failsInPre(await scene.job({ steps }).finished, /cannot be reached/, scene.store);
    }
    await scene.isTidy([]);
  });
}

function failsInPre(report: JobReport, sentence: RegExp, store: string): void {
  expect(report.result).toBe("failure");
  expect(report.stage("lock", "pre").code).toBe(1);
  expect(report.skipped).toEqual(["lock main", "deploy main"]);
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.annotations("error")).toHaveLength(1);
  expect(report.annotations("error")[0]).toMatch(sentence);
  expect(report.annotations("error")[0]).toContain(store);
}

/** A step that does nothing. */
function gateless(id: string) {
  return { id, run: [process.execPath, "-e", ""] };
}

function startTokenServer(door: Door): Promise<ServerProcess> {
  const file = join(temporaryDirectory(), "token");
  writeFileSync(file, `${SECRET}\n`, { mode: 0o600 });
  return startServed(door, ["--auth-token-file", file]);
}

/** A port on which nothing listens any more. */
async function unusedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
