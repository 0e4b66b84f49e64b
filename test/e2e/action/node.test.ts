import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gateStep } from "../runner/start-job.ts";
import { openScene } from "../scene.ts";

test("a runner with an older Node: the stages say which one is needed, and nothing is claimed", async () => {
  const scene = openScene();
  const preload = join(scene.directory, "older.cjs");
  writeFileSync(
    preload,
    `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.19.0" } });`,
  );
  const env = { NODE_OPTIONS: `--require ${preload}` };
  for (const lock of [scene.lock({}, { env }), scene.lock({}, { env, local: true })]) {
    const report = await scene.job({ steps: [lock] }).finished;
    expect(report.result).toBe("failure");
    expect(report.annotations("error")).toEqual([
      expect.stringMatching(/^Holdfast needs Node 24 or later.*20\.19\.0/),
    ]);
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("warning")).toEqual([]);
  }
  expect(existsSync(join(scene.directory, "locks"))).toBe(false);
  await scene.isTidy();
});

test("holdfast in a later step runs with the node of the action, whatever the PATH has, or says why not", async () => {
  const scene = openScene();
  const verify = (id: string) => ({ id, run: ["holdfast", "verify"], continueOnError: true });
  const script = join(scene.directory, "runner-1", "_temp", "holdfast-bin", "holdfast");
  const job = scene.job({
    path: "/usr/bin:/bin",
    steps: [scene.lock(), verify("with"), gateStep("pause"), verify("without")],
  });
  const gate = await job.gate("pause");
  // As in a step that runs where the runner's own files are not: the script names a node that is gone.
  const text = readFileSync(script, "utf8");
  expect(text).toContain(process.execPath);
  writeFileSync(script, text.replaceAll(process.execPath, "/nowhere/node"));
  gate.open();
  const report = await job.finished;
  expect(report.stage("with").code).toBe(0);
  expect(report.stage("without").code).toBe(2);
  expect(report.log("without")).toMatch(/^holdfast: \/nowhere\/node, .*is not there in this step/);
  await scene.isTidy();
});
