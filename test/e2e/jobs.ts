import { expect } from "vitest";
import { isAlive } from "../helpers/processes.ts";
import { until } from "../helpers/waiting.ts";
import type { CommandStep } from "./runner/job.ts";
import { gateStep, type JobReport, type JobRun } from "./runner/start-job.ts";
import { trackedProcesses } from "./runner/tracking.ts";
import { leaseOf, ownerOf, type Scene } from "./scene.ts";

/** Asks whether the lock is held; the job goes on whatever the answer is, see `succeeds`. */
export const verify: CommandStep = {
  id: "verify",
  if: "always()",
  run: ["holdfast", "verify"],
  continueOnError: true,
};

/** A step that prints its environment as JSON. */
export const printEnvironment: CommandStep = {
  id: "show",
  if: "always()",
  run: [process.execPath, "-p", "JSON.stringify(process.env)"],
};

/** A step that does nothing. */
export const idle = (id: string): CommandStep => ({ id, run: [process.execPath, "-e", ""] });

/** Resolves once the job's claim stands in line. */
export const waits = (job: JobRun) => job.logged("lock", /waiting for production/);

/** A job that holds the lock, with a gate that keeps it there. */
export async function holding(scene: Scene, inputs: Record<string, string> = {}) {
  const job = scene.job({ steps: [scene.lock(inputs), gateStep("deploy"), verify] });
  return { job, gate: await job.gate("deploy") };
}

/** A job that holds the lock, and a second one in line behind it. */
export async function contended(scene: Scene, inputs: Record<string, string> = {}) {
  const { job: first, gate } = await holding(scene, inputs);
  const second = scene.job({ steps: [scene.lock(inputs), gateStep("deploy"), verify] });
  await waits(second);
  await isHeldAlone(scene, first, 1);
  return { first, gate, second };
}

/** The job holds the lock, and so many others wait for it. */
export async function isHeldAlone(scene: Scene, job: JobRun, waiting = 0): Promise<void> {
  expect(await scene.inspect()).toMatchObject({ waiting, holders: [{ owner: ownerOf(job) }] });
}

/** Milliseconds until the job holds the lock. */
export async function heldBy(scene: Scene, job: JobRun, since: number): Promise<number> {
  await until(async () => (await scene.holders()).includes(ownerOf(job)));
  return performance.now() - since;
}

/** A job that waits in pre may have started its keeper just now: the keeper may have to be waited for. */
export async function keeperOf({ description }: JobRun): Promise<number> {
  const find = () =>
    trackedProcesses(description.trackingId).find(({ command }) => /holdfast-keeper/.test(command));
  await until(() => find() !== undefined);
  return find()?.pid as number;
}

export async function killKeeper(job: JobRun): Promise<void> {
  const { pid } = leaseOf(job).keeper;
  process.kill(pid, "SIGKILL");
  await until(() => !isAlive(pid));
}

/** Resolves when the keeper has noticed its loss, written it down and ended. */
export async function noticed(job: JobRun): Promise<{ at: number; reason: string }> {
  const { pid } = leaseOf(job).keeper;
  await until(() => !isAlive(pid));
  const { state, lost } = leaseOf(job);
  expect(state).toBe("lost");
  return { at: Date.parse(lost?.at ?? ""), reason: lost?.reason ?? "" };
}

/** One error annotation about the loss, with these words. */
export function saysLost(report: JobReport, ...words: string[]): void {
  const errors = report.annotations("error").filter((message) => /was lost/.test(message));
  expect(errors).toHaveLength(1);
  for (const word of words) expect(errors[0]).toContain(word);
}

/** As `saysLost`, by a post that does not fail the job. */
export function saysLostAndGoesOn(report: JobReport, ...words: string[]): void {
  expect(report.stage("lock", "post").code).toBe(0);
  saysLost(report, ...words);
}

/** The job has succeeded, and still held the lock after its deployment. */
export async function succeeds(job: JobRun): Promise<JobReport> {
  const report = await job.finished;
  expect(report.result).toBe("success");
  expect(report.stage("verify").code).toBe(0);
  return report;
}

export function saysNothing(report: JobReport): void {
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("warning")).toEqual([]);
}
