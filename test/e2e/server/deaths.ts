import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import type { ServerProcess } from "../../helpers/server/server.ts";
import { PATIENT } from "../../helpers/waiting.ts";
import {
  contended,
  killKeeper,
  noticed,
  saysLostAndGoesOn as saysLost,
  saysNothing,
  succeeds,
} from "../jobs.ts";
import { type Door, openServed, startServed } from "../places.ts";
import { gateBeforeSteps, gateStep } from "../runner/start-job.ts";
import { KEY, leaseOf, ownerOf } from "../scene.ts";

async function killServer({ child, ended }: ServerProcess): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

/** What a job does when the lock server itself dies. */
export function serverDeaths(door: Door): void {
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
    await startServed(door, [], scene.server);
    const next = await second.gate("deploy");
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    expect(leaseOf(second).fence).toBeGreaterThan(fence as number);
    gate.open();
    const report = await first.finished;
    expect(report.stage("verify").code).toBe(1);
    saysLost(report, KEY, scene.store, ownerOf(second));
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    next.open();
    await succeeds(second);
    await scene.isTidy();
  });

  test("server back at once and without its memory: the holder is told as soon as the next is in", async () => {
    const scene = await openServed(door);
    const { first, gate, second } = await contended(scene);
    await killServer(scene.server);
    await startServed(door, [], scene.server);
    const { at, reason } = await noticed(first);
    expect(reason).toMatch(/no longer counts it as held/);
    const next = await second.gate("deploy");
    expect(at - Date.parse(leaseOf(second).since)).toBeLessThan(2_000);
    gate.open();
    saysLost(await first.finished, KEY, ownerOf(second));
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    next.open();
    await succeeds(second);
    await scene.isTidy();
  });

  test("server killed and back with its data: the job keeps its lock, and the next one its wait", async () => {
    const data = ["--data", join(temporaryDirectory(), "locks.db")];
    const scene = await openServed(door, data);
    const { first, gate, second } = await contended(scene);
    await killServer(scene.server);
    await startServed(door, data, scene.server);
    await expect.poll(async () => (await scene.inspect()).waiting, PATIENT).toBe(1);
    expect(await scene.holders()).toEqual([ownerOf(first)]);
    const { fence } = leaseOf(first);
    gate.open();
    saysNothing(await succeeds(first));
    const next = await second.gate("deploy");
    expect(leaseOf(second).fence).toBeGreaterThan(fence as number);
    next.open();
    await succeeds(second);
    await scene.isTidy();
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
    for (const word of [KEY, scene.store, "could not be released"]) expect(said).toContain(word);
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
      await killKeeper(job);
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
