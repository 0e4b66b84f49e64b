import { expect } from "vitest";
import { connectTo, PATIENT, type ServerProcess, startProcess } from "../server/kit/server.ts";
import { gateStep, type JobReport, type JobRun } from "./runner/start-job.ts";
import { openScene, ownerOf, type Scene } from "./scene.ts";

/** A scene whose store is a `holdfast serve` of its own. */
export interface ServedScene extends Scene {
  readonly server: ServerProcess;
}

export async function openServed(): Promise<ServedScene> {
  const server = await startProcess([]);
  return { ...openScene({ store: `tcp://127.0.0.1:${server.port}` }), server };
}

/** As every scenario, and nobody is left at the server but the one who asks. */
export async function isTidy(scene: ServedScene): Promise<void> {
  await scene.isTidy();
  const client = await connectTo(scene.server.port);
  await expect.poll(async () => (await client.stats()).connections, PATIENT).toBe(1);
  const { locks, semaphores } = await client.stats();
  expect([...locks, ...semaphores]).toEqual([]);
}

export const verify = { id: "verify", if: "always()", run: ["holdfast", "verify"] };

/** Resolves once the job's claim stands in line. */
export const waits = (job: JobRun) => job.logged("lock", /waiting for production/);

/** A job that holds the lock, and a second one in line behind it. */
export async function contended(scene: Scene, inputs: Record<string, string> = {}) {
  const steps = [scene.lock(inputs), gateStep("deploy"), verify];
  const first = scene.job({ steps });
  const gate = await first.gate("deploy");
  const second = scene.job({ steps });
  await waits(second);
  expect(await scene.inspect()).toMatchObject({ waiting: 1, holders: [{ owner: ownerOf(first) }] });
  return { first, gate, second };
}

export function saysNothing(report: JobReport): void {
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("warning")).toEqual([]);
}
