import { expect, test } from "vitest";
import { isAlive, stateOf } from "../../helpers/processes.ts";
import { SOON_MS, until } from "../../helpers/waiting.ts";
import {
  contended,
  heldBy,
  holding,
  isHeldAlone,
  keeperOf,
  killKeeper,
  noticed,
  saysLostAndGoesOn,
  saysNothing,
  succeeds,
  waits,
} from "../jobs.ts";
import { DIFFERENCES, openAt, type Place } from "../places.ts";
import { gateStep, type JobRun } from "../runner/start-job.ts";
import { KEY, leaseOf, ownerOf, type Scene } from "../scene.ts";

/** What frees the lock when a process of the job, or the runner itself, is killed. */
export function deaths(place: Place): void {
  const { killedKeeper, shortLife, deadWaiterLeaves } = DIFFERENCES[place];

  async function isLeftToItself(scene: Scene, holder: JobRun): Promise<void> {
    if (deadWaiterLeaves === "with its lease")
      await until(async () => (await scene.inspect()).waiting === 0);
    await isHeldAlone(scene, holder);
  }

  test("pre killed outright while it waits: the line is left, post is quiet", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene);
    const { pid } = await second.started("lock", "pre");
    process.kill(pid, "SIGKILL");
    const report = await second.finished;
    expect(report.result).toBe("failure");
    expect(report.stage("lock", "pre").signal).toBe("SIGKILL");
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error")).toEqual([]);
    await until(async () => (await scene.inspect()).waiting === 0);
    expect(await scene.holders()).toEqual([ownerOf(first)]);
    gate.open();
    await succeeds(first);
    await scene.isTidy();
  });

  test("worker killed while its job holds: the next is in soon", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene);
    await first.crash();
    expect(await heldBy(scene, second, performance.now())).toBeLessThan(SOON_MS);
    expect((await first.finished).result).toBeNull();
    // The user's own step is all that is left of the job; no runner is there to end it.
    process.kill(gate.pid, "SIGKILL");
    (await second.gate("deploy")).open();
    await succeeds(second);
    await scene.isTidy();
  });

  test("worker killed while its pre waits: the line is left soon", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene);
    await second.crash();
    const crashed = performance.now();
    await until(async () => (await scene.inspect()).waiting === 0);
    expect(performance.now() - crashed).toBeLessThan(SOON_MS);
    expect(await scene.holders()).toEqual([ownerOf(first)]);
    gate.open();
    await succeeds(first);
    await scene.isTidy();
  });

  test("keeper killed while held: the next is in soon, and post leaves it alone", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene, killedKeeper);
    process.kill(leaseOf(first).keeper.pid, "SIGKILL");
    expect(await heldBy(scene, second, performance.now())).toBeLessThan(SOON_MS);
    const next = await second.gate("deploy");

    gate.open();
    const report = await first.finished;
    expect(report.stage("verify").code).toBe(1);
    expect(report.annotations("error")).toHaveLength(1);
    saysLostAndGoesOn(report, KEY, ownerOf(second), "keeper");
    expect(report.log("lock", "post")).toMatch(/^keeper: .*holds "production" in .*, fence \d+$/m);
    expect(report.result).toBe("success");
    expect(await scene.holders()).toEqual([ownerOf(second)]);

    next.open();
    saysNothing(await succeeds(second));
    await scene.isTidy();
  });

  test("keeper killed while held and nobody waits: post frees the lock and says what happened", async () => {
    const scene = await openAt(place);
    const { job, gate } = await holding(scene);
    await killKeeper(job);
    gate.open();
    const report = await job.finished;
    expect(report.stage("lock", "post").code).toBe(0);
    const said = [...report.annotations("error"), ...report.annotations("warning")];
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/keeper/);
    await scene.isTidy();
  });

  test("keeper killed while pre waits: pre fails, nothing is left in line", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene, killedKeeper);
    process.kill(await keeperOf(second), "SIGKILL");
    const report = await second.finished;
    expect(report.result).toBe("failure");
    expect(report.annotations("error")).toHaveLength(1);
    expect(report.annotations("error")[0]).toMatch(/keeper/);
    await isLeftToItself(scene, first);
    gate.open();
    await first.finished;
    // A killed keeper cannot take its ticket along; the next claim does.
    expect((await scene.job({ steps: [scene.lock()] }).finished).result).toBe("success");
    await scene.isTidy();
  });

  test("keeper stopped and continued within its time: nothing happened", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene);
    const { pid } = leaseOf(first).keeper;
    process.kill(pid, "SIGSTOP");
    await until(() => stateOf(pid) === "T");
    expect(await scene.holders()).toEqual([ownerOf(first)]);
    process.kill(pid, "SIGCONT");
    gate.open();
    saysNothing(await succeeds(first));
    (await second.gate("deploy")).open();
    await succeeds(second);
    await scene.isTidy();
  });

  test("keeper stopped for longer than it may: the lock goes on, and the first job is told", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene, shortLife);
    const { pid } = leaseOf(first).keeper;
    process.kill(pid, "SIGSTOP");
    const next = await second.gate("deploy");
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    process.kill(pid, "SIGCONT");
    // Awake again it sees that it has lost, and ends without touching what is another's.
    await noticed(first);
    gate.open();
    const report = await first.finished;
    expect(report.annotations("error")).toHaveLength(1);
    saysLostAndGoesOn(report, KEY, ownerOf(second));
    expect(await scene.holders()).toEqual([ownerOf(second)]);
    next.open();
    await succeeds(second);
    await scene.isTidy();
  });

  test("keeper stopped for good: post frees the lock without it", async () => {
    const scene = await openAt(place);
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
    await succeeds(second);
    await scene.isTidy();
  });

  test("keeper told to stop while held: the lock is released at once, and the job learns of it", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene);
    process.kill(leaseOf(first).keeper.pid, "SIGTERM");
    const next = await second.gate("deploy");
    gate.open();
    const report = await first.finished;
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error")).toHaveLength(1);
    expect(report.annotations("error")[0]).toMatch(/told to stop/);
    expect(report.annotations("error")[0]).toContain(ownerOf(second));
    next.open();
    await succeeds(second);
    await scene.isTidy();
  });

  test("cancel while the keeper of a waiting pre is stopped: pre does without it", async () => {
    const scene = await openAt(place);
    const { first, gate, second } = await contended(scene, killedKeeper);
    process.kill(await keeperOf(second), "SIGSTOP");
    second.cancel();
    const report = await second.finished;
    expect(report.result).toBe("cancelled");
    expect(report.stage("lock", "pre").signal).toBeNull();
    await isLeftToItself(scene, first);
    gate.open();
    await first.finished;
    expect((await scene.job({ steps: [scene.lock()] }).finished).result).toBe("success");
    await scene.isTidy();
  });

  test("no post ran and the runner sweeps the keeper: the next is in soon", async () => {
    const scene = await openAt(place);
    const noPost = scene.lock(killedKeeper, { stages: ["pre", "main"] });
    const first = scene.job({ steps: [noPost, gateStep("deploy")] });
    const gate = await first.gate("deploy");
    const { pid } = leaseOf(first).keeper;
    const second = scene.job({ steps: [scene.lock(killedKeeper), gateStep("deploy")] });
    await waits(second);
    gate.open();
    expect((await first.finished).swept.map((process) => process.pid)).toEqual([pid]);
    expect(await heldBy(scene, second, performance.now())).toBeLessThan(SOON_MS);
    (await second.gate("deploy")).open();
    expect((await second.finished).result).toBe("success");
    // What the killed keeper left in RUNNER_TEMP goes when the runner takes its next job.
    await scene.job({ directory: first.description.directory, steps: [] }).finished;
    await scene.isTidy();
  });
}
