import { join } from "node:path";
import { expect, test } from "vitest";
import { isAlive, temporaryDirectory, until } from "../../helpers/processes.ts";
import { PATIENT, type ServerProcess } from "../../helpers/server/server.ts";
import { gateBeforeSteps, gateStep, type JobReport, type JobRun } from "../runner/start-job.ts";
import { KEY, leaseOf, openScene, ownerOf } from "../scene.ts";
import {
  contended,
  type Door,
  isTidy,
  openServed,
  saysNothing,
  startServed,
  storeAt,
} from "./served.ts";

async function killServer({ child, ended }: ServerProcess): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

/** Resolves when the keeper has noticed, written the loss down and ended. */
async function noticed(job: JobRun): Promise<{ at: number; reason: string }> {
  const { pid } = leaseOf(job).keeper;
  await until(() => !isAlive(pid));
  const { state, lost } = leaseOf(job);
  expect(state).toBe("lost");
  return { at: Date.parse(lost?.at ?? ""), reason: lost?.reason ?? "" };
}

/** One error annotation about the loss, from a post that does not fail the job. */
function saysLost(report: JobReport, ...words: string[]): void {
  expect(report.stage("lock", "post").code).toBe(0);
  const errors = report.annotations("error").filter((message) => /was lost/.test(message));
  expect(errors).toHaveLength(1);
  for (const word of words) expect(errors[0]).toContain(word);
}

/**
 * A keeper's connection ends with it, and the server sees that at once; of a keeper with a session
 * it learns when the lease is over.
 */
const DEATH = {
  tcp: { noticed: {}, withinMs: 2_000 },
  http: { noticed: { "dead-after": "4s" }, withinMs: 8_000 },
} as const;

/** What a job does when a worker, a keeper or the lock server itself dies. */
export function deathTests(door: Door): void {
  const deathIs = DEATH[door];

  test("worker killed while its job holds: the next is in within 3 s", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene);
    await first.crash();
    const crashed = performance.now();
    await until(async () => (await scene.holders()).includes(ownerOf(second)));
    expect(performance.now() - crashed).toBeLessThan(3_000);
    // The user's own step is all that is left of the job; no runner is there to end it.
    process.kill(gate.pid, "SIGKILL");
    (await second.gate("deploy")).open();
    expect((await second.finished).result).toBe("success");
    await isTidy(scene);
  });

  test("keeper killed while held: the next is in soon, and post leaves it alone", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene, deathIs.noticed);
    process.kill(leaseOf(first).keeper.pid, "SIGKILL");
    const killed = performance.now();
    await until(async () => (await scene.holders()).includes(ownerOf(second)));
    expect(performance.now() - killed).toBeLessThan(deathIs.withinMs);
    const next = await second.gate("deploy");
    gate.open();
    const report = await first.finished;
    expect(report.stage("verify").code).toBe(1);
    saysLost(report, KEY, ownerOf(second), "keeper");
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    next.open();
    const other = await second.finished;
    expect(other.result).toBe("success");
    saysNothing(other);
    await isTidy(scene);
  });

  test("keeper stopped for longer than its lease: the lock goes on, and the first job is told", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene, { "dead-after": "2s" });
    const { pid } = leaseOf(first).keeper;
    process.kill(pid, "SIGSTOP");
    const next = await second.gate("deploy");
    process.kill(pid, "SIGCONT");
    await noticed(first);
    gate.open();
    saysLost(await first.finished, KEY, ownerOf(second));
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    next.open();
    expect((await second.finished).result).toBe("success");
    await isTidy(scene);
  });

  test("keeper stopped for good: post frees the lock without it", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene, { "dead-after": "60s" });
    const { pid } = leaseOf(first).keeper;
    process.kill(pid, "SIGSTOP");
    gate.open();
    const report = await first.finished;
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error")).toEqual([]);
    expect(report.annotations("warning")).toHaveLength(1);
    expect(isAlive(pid)).toBe(false);
    (await second.gate("deploy")).open();
    expect((await second.finished).result).toBe("success");
    await isTidy(scene);
  });

  test("server killed while a job holds: the job is told before the next one can have the lock", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene, { "dead-after": "6s" });
    const { fence } = leaseOf(first);
    const killedAt = Date.now();
    await killServer(scene.server);
    const { at, reason } = await noticed(first);
    // Within its lease, which no server gives to another before.
    expect(at - killedAt).toBeLessThan(6_000);
    expect(reason).toContain(scene.store);

    // The one in line has not given up: it has its turn when the server is back.
    const server = await startServed(door, [], scene.server);
    const next = await second.gate("deploy");
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    expect(leaseOf(second).fence).toBeGreaterThan(fence as number);
    gate.open();
    const report = await first.finished;
    expect(report.stage("verify").code).toBe(1);
    saysLost(report, KEY, scene.store, ownerOf(second));
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    next.open();
    expect((await second.finished).result).toBe("success");
    await isTidy({ ...scene, server });
  });

  test("server back at once and without its memory: the holder is told as soon as the next is in", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene);
    await killServer(scene.server);
    const server = await startServed(door, [], scene.server);
    const { at, reason } = await noticed(first);
    expect(reason).toMatch(/no longer counts it as held/);
    const next = await second.gate("deploy");
    expect(at - Date.parse(leaseOf(second).since)).toBeLessThan(2_000);
    gate.open();
    saysLost(await first.finished, KEY, ownerOf(second));
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    next.open();
    expect((await second.finished).result).toBe("success");
    await isTidy({ ...scene, server });
  });

  test("server killed and back with its data: the job keeps its lock, and the next one its wait", async () => {
    const data = ["--data", join(temporaryDirectory(), "locks.db")];
    const before = await startServed(door, data);
    const scene = openScene({ store: storeAt(door, before) });
    const { first, gate, second } = await contended(scene);
    await killServer(before);
    const server = await startServed(door, data, before);
    await expect.poll(async () => (await scene.inspect()).waiting, PATIENT).toBe(1);
    expect(await scene.holders()).toEqual([ownerOf(first)]);
    const { fence } = leaseOf(first);
    gate.open();
    const report = await first.finished;
    expect(report.result).toBe("success");
    expect(report.stage("verify").code).toBe(0);
    saysNothing(report);
    const next = await second.gate("deploy");
    expect(leaseOf(second).fence).toBeGreaterThan(fence as number);
    next.open();
    expect((await second.finished).result).toBe("success");
    await isTidy({ ...scene, server });
  });

  test("server gone for good while a job holds: post reports the loss and claims no more than it knows", async () => {
    const scene = await openServed(door);
    const job = scene.job({ steps: [scene.lock({ "dead-after": "2s" }), gateStep("deploy")] });
    const gate = await job.gate("deploy");
    await killServer(scene.server);
    await noticed(job);
    gate.open();
    const report = await job.finished;
    saysLost(report, KEY, scene.store);
    expect(report.annotations("error")[0]).not.toMatch(/nobody holds it/i);
    await scene.isTidy([]);
  });

  test("server killed right before post: the job is told, and nothing is left behind", async () => {
    const scene = await openServed(door);
    const job = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
    const gate = await job.gate("deploy");
    await killServer(scene.server);
    gate.open();
    const report = await job.finished;
    expect(report.stage("lock", "post").code).toBe(0);
    const [said, ...more] = [...report.annotations("error"), ...report.annotations("warning")];
    expect(more).toEqual([]);
    for (const word of [KEY, scene.store, "could not be let go"]) expect(said).toContain(word);
    expect(report.swept).toEqual([]);
    await scene.isTidy([]);
  });

  test("server killed between pre and main: main fails, no step runs", async () => {
    const scene = await openServed(door);
    const steps = [
      scene.lock({ "dead-after": "2s" }),
      gateBeforeSteps("pause"),
      gateStep("deploy"),
    ];
    const job = scene.job({ steps });
    const gate = await job.gate("pause");
    await killServer(scene.server);
    gate.open();
    const report = await job.finished;
    expect(report.stage("lock", "main").code).toBe(1);
    for (const word of [KEY, scene.store]) expect(report.annotations("error")[0]).toContain(word);
    expect(report.skipped).toEqual(["deploy main"]);
    expect(report.stage("lock", "post").code).toBe(0);
    await scene.isTidy([]);
  });

  test.each([
    ["warn", 0],
    ["fail", 1],
  ])(
    "keeper and server killed while a job holds, on-lost: %s: post exits %i",
    async (onLost, code) => {
      const scene = await openServed(door);
      const steps = [scene.lock({ "on-lost": onLost }), gateStep("deploy")];
      const job = scene.job({ steps });
      const gate = await job.gate("deploy");
      await killServer(scene.server);
      const { pid } = leaseOf(job).keeper;
      process.kill(pid, "SIGKILL");
      await until(() => !isAlive(pid));
      gate.open();
      const report = await job.finished;
      expect(report.stage("lock", "post").code).toBe(code);
      const [said] = report.annotations("error");
      for (const word of [KEY, "was lost", "keeper had ended", scene.store])
        expect(said).toContain(word);
      await scene.isTidy([]);
    },
  );
}
