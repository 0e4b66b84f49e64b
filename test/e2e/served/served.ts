import { expect } from "vitest";
import {
  connectTo,
  PATIENT,
  type ServerProcess,
  startProcess,
} from "../../helpers/server/server.ts";
import { gateStep, type JobReport, type JobRun } from "../runner/start-job.ts";
import { openScene, ownerOf, type Scene } from "../scene.ts";

/** The doors of `holdfast serve`: what a job sees must be the same through each of them. */
export type Door = "tcp" | "http";

/** A scene whose store is a `holdfast serve` of its own. */
export interface ServedScene extends Scene {
  readonly server: ServerProcess;
}

/** `before`: the server whose place it takes, on the same ports. */
export function startServed(
  door: Door,
  args: readonly string[] = [],
  before?: ServerProcess,
): Promise<ServerProcess> {
  const http = door === "http" ? ["--http-port", String(before?.httpPort ?? 0)] : [];
  const tcp = before === undefined ? [] : ["--port", String(before.port)];
  return startProcess([...tcp, ...http, ...args]);
}

export function storeAt(door: Door, server: ServerProcess): string {
  return `${door}://127.0.0.1:${door === "http" ? server.httpPort : server.port}`;
}

export async function openServed(door: Door): Promise<ServedScene> {
  const server = await startServed(door);
  return { ...openScene({ store: storeAt(door, server) }), server };
}

/** As every scenario, and nobody is left at the server but the one who asks. */
export async function isTidy(scene: ServedScene): Promise<void> {
  await scene.isTidy();
  const { port, httpPort } = scene.server;
  const client = await connectTo(port);
  await expect.poll(async () => (await client.stats()).connections, PATIENT).toBe(1);
  const { locks, semaphores } = await client.stats();
  expect([...locks, ...semaphores]).toEqual([]);
  if (httpPort === null) return;
  const metrics = async () => (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
  await expect.poll(metrics, PATIENT).toMatch(/^holdfast_sessions 0$/m);
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
