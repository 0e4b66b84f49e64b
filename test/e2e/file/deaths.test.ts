import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isAlive, until } from "../../helpers/processes.ts";
import { gateStep, type JobRun } from "../runner/start-job.ts";
import { trackedProcesses } from "../runner/tracking.ts";
import { leaseOf, openScene, ownerOf, type Scene } from "../scene.ts";

/** What frees the lock when a process of the job, or the runner itself, is killed. */

const waits = (job: JobRun) => job.logged("lock", /waiting for production/);

/** A job that holds the lock, and a second one in line behind it. */
async function contended(scene: Scene, inputs: Record<string, string> = {}) {
  const steps = [scene.lock(inputs), gateStep("deploy")];
  const first = scene.job({ steps });
  const gate = await first.gate("deploy");
  const second = scene.job({ steps });
  await waits(second);
  return { first, gate, second };
}

/** Milliseconds until the second job holds the lock. */
async function takenBy(scene: Scene, job: JobRun, since: number): Promise<number> {
  await until(async () => (await scene.holders()).includes(ownerOf(job)));
  return performance.now() - since;
}

test("pre killed outright while it waits: the line is left, post is quiet", async () => {
  const scene = openScene();
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
  expect((await first.finished).result).toBe("success");
  await scene.isTidy();
});

test("worker killed while its job holds: free within 3 s", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene);
  await first.crash();
  const crashed = performance.now();
  expect(await takenBy(scene, second, crashed)).toBeLessThan(3_000);
  expect((await first.finished).result).toBeNull();
  // The user's own step is all that is left of the job; no runner is there to end it.
  process.kill(gate.pid, "SIGKILL");
  (await second.gate("deploy")).open();
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("worker killed while its pre waits: the line is left within 3 s", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene);
  await second.crash();
  const crashed = performance.now();
  await until(async () => (await scene.inspect()).waiting === 0);
  expect(performance.now() - crashed).toBeLessThan(3_000);
  expect(await scene.holders()).toEqual([ownerOf(first)]);
  gate.open();
  expect((await first.finished).result).toBe("success");
  await scene.isTidy();
});

test("keeper killed while held: the next is in within 2 s, and post leaves it alone", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene);
  process.kill(leaseOf(first).keeper.pid, "SIGKILL");
  expect(await takenBy(scene, second, performance.now())).toBeLessThan(2_000);
  const next = await second.gate("deploy");

  gate.open();
  const report = await first.finished;
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.annotations("error")).toHaveLength(1);
  expect(report.annotations("error")[0]).toMatch(/lost/);
  expect(report.annotations("error")[0]).toContain(ownerOf(second));
  expect(report.log("lock", "post")).toMatch(/^keeper: .*holds "production" in .*, fence \d+$/m);
  expect(report.result).toBe("success");
  expect(await scene.holders()).toEqual([ownerOf(second)]);

  next.open();
  const other = await second.finished;
  expect(other.result).toBe("success");
  expect(other.annotations("error")).toEqual([]);
  await scene.isTidy();
});

test("keeper killed while held and nobody waits: post frees the lock and says what happened", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await job.gate("deploy");
  const { pid } = leaseOf(job).keeper;
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(pid));
  gate.open();
  const report = await job.finished;
  expect(report.stage("lock", "post").code).toBe(0);
  const said = [...report.annotations("error"), ...report.annotations("warning")];
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/keeper/);
  await scene.isTidy();
});

test("keeper killed while pre waits: pre fails, nothing is left in line", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene);
  const { trackingId } = second.description;
  const keeper = await keeperOf(trackingId);
  process.kill(keeper, "SIGKILL");
  const report = await second.finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")).toHaveLength(1);
  expect(report.annotations("error")[0]).toMatch(/keeper/);
  expect(await scene.inspect()).toMatchObject({ waiting: 0, holders: [{ owner: ownerOf(first) }] });
  gate.open();
  await first.finished;
  // A killed keeper cannot take its ticket along; the next claim does.
  expect((await scene.job({ steps: [scene.lock()] }).finished).result).toBe("success");
  await scene.isTidy();
});

test("keeper stopped and continued within its time: nothing happened", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene);
  const { pid } = leaseOf(first).keeper;
  process.kill(pid, "SIGSTOP");
  await until(() => stateOf(pid) === "T");
  expect(await scene.holders()).toEqual([ownerOf(first)]);
  process.kill(pid, "SIGCONT");
  gate.open();
  const report = await first.finished;
  expect(report.result).toBe("success");
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("warning")).toEqual([]);
  (await second.gate("deploy")).open();
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("keeper stopped for longer than its ttl: the lock goes on, and the first job is told", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene, { ttl: "2s", "dead-after": "1s" });
  const { pid } = leaseOf(first).keeper;
  process.kill(pid, "SIGSTOP");
  const next = await second.gate("deploy");
  expect(await scene.holders()).toEqual([ownerOf(second)]);
  process.kill(pid, "SIGCONT");
  // Awake again it sees that it has lost, and ends without touching what is another's.
  await until(() => !isAlive(pid));
  gate.open();
  const report = await first.finished;
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.annotations("error")).toHaveLength(1);
  expect(report.annotations("error")[0]).toContain(ownerOf(second));
  expect(await scene.holders()).toEqual([ownerOf(second)]);
  next.open();
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("keeper stopped for good: post frees the lock without it", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene);
  const { pid } = leaseOf(first).keeper;
  process.kill(pid, "SIGSTOP");
  gate.open();
  const report = await first.finished;
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.annotations("warning")).toHaveLength(1);
  expect(isAlive(pid)).toBe(false);
  (await second.gate("deploy")).open();
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("keeper told to stop while held: the lock is let go at once, and the job learns of it", async () => {
  const scene = openScene();
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
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("cancel while the keeper of a waiting pre is stopped: pre does without it", async () => {
  const scene = openScene();
  const { first, gate, second } = await contended(scene);
  process.kill(await keeperOf(second.description.trackingId), "SIGSTOP");
  second.cancel();
  const report = await second.finished;
  expect(report.result).toBe("cancelled");
  expect(report.stage("lock", "pre").signal).toBeNull();
  expect(await scene.inspect()).toMatchObject({ waiting: 0, holders: [{ owner: ownerOf(first) }] });
  gate.open();
  await first.finished;
  expect((await scene.job({ steps: [scene.lock()] }).finished).result).toBe("success");
  await scene.isTidy();
});

test("no post ran and the runner sweeps the keeper: the next is in at once", async () => {
  const scene = openScene();
  const noPost = scene.lock({}, { stages: ["pre", "main"] });
  const first = scene.job({ steps: [noPost, gateStep("deploy")] });
  const gate = await first.gate("deploy");
  const { pid } = leaseOf(first).keeper;
  const second = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  await waits(second);
  gate.open();
  expect((await first.finished).swept.map((process) => process.pid)).toEqual([pid]);
  expect(await takenBy(scene, second, performance.now())).toBeLessThan(2_000);
  (await second.gate("deploy")).open();
  expect((await second.finished).result).toBe("success");
  // What the killed keeper left in RUNNER_TEMP goes when the runner takes its next job.
  await scene.job({ directory: first.description.directory, steps: [] }).finished;
  await scene.isTidy();
});

function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  return stat.slice(stat.lastIndexOf(")") + 2)[0] ?? "";
}

/** A pre stands in line while its keeper is still starting: it may have to be waited for. */
async function keeperOf(trackingId: string): Promise<number> {
  const find = () =>
    trackedProcesses(trackingId).find(({ command }) => /holdfast-keeper/.test(command));
  await until(() => find() !== undefined);
  return find()?.pid as number;
}
