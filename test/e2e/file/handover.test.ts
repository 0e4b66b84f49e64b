import { mkdirSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { gateStep } from "../runner/start-job.ts";
import { KEY, leaseOf, openScene, ownerOf } from "../scene.ts";

/** What later steps get from the action beside its outputs: the command, the summary. */

test("the key is the repository unless one is given, the store HOLDFAST_STORE", async () => {
  const scene = openScene();
  const job = scene.job({
    env: { HOLDFAST_STORE: scene.store },
    steps: [{ id: "lock", uses: scene.lock().uses }],
  });
  const report = await job.finished;
  expect(report.stage("lock").outputs).toMatchObject({ key: "acme/shop", store: scene.store });
  await scene.isTidy(["acme/shop"]);
});

test("a key is any text, and becomes a file name by encoding", async () => {
  const scene = openScene();
  for (const key of ["../x", "two words", "böse 🔒", ".hidden", "$(reboot)", '\'; x "y"', "-rf"]) {
    const report = await scene.job({ steps: [scene.lock({ key })] }).finished;
    expect(report.result).toBe("success");
    expect(report.stage("lock").outputs.key).toBe(key);
    expect(report.stage("lock", "pre").env.HOLDFAST_KEY).toBe(key);
  }
  expect(readdirSync(scene.directory).filter((name) => !/^(locks|runner-\d+)$/.test(name))).toEqual(
    [],
  );
  await scene.isTidy(["../x", "two words", "böse 🔒", ".hidden", "$(reboot)", '\'; x "y"', "-rf"]);
});

test("holdfast verify and release work in a step whose PATH has no node", async () => {
  const scene = openScene();
  const job = scene.job({
    path: temporaryDirectory(),
    steps: [
      scene.lock(),
      { id: "before", run: ["holdfast", "verify"] },
      { id: "release", run: ["holdfast", "release"] },
      gateStep("after"),
      { id: "verify", if: "always()", run: ["holdfast", "verify"] },
      { id: "again", if: "always()", run: ["holdfast", "release"] },
    ],
  });
  const gate = await job.gate("after");
  expect((await scene.inspect()).holders).toEqual([]);
  gate.open();
  const report = await job.finished;
  expect(report.stage("before").code).toBe(0);
  expect(report.stage("release").code).toBe(0);
  expect(report.stage("verify").code).toBe(1);
  expect(report.stage("again").code).toBe(0);
  // An early release is what the user wanted: post has nothing to say about it.
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.log("lock", "post")).toBe("");
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("warning")).toEqual([]);
  await scene.isTidy();
});

test("a lock that was released early and is held by another job is left alone by post", async () => {
  const scene = openScene();
  const first = scene.job({
    steps: [scene.lock(), { id: "release", run: ["holdfast", "release"] }, gateStep("after")],
  });
  const gate = await first.gate("after");
  const second = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const next = await second.gate("deploy");
  gate.open();
  const report = await first.finished;
  expect(report.result).toBe("success");
  expect(report.annotations("error")).toEqual([]);
  expect(await scene.holders()).toEqual([ownerOf(second)]);
  next.open();
  expect((await second.finished).result).toBe("success");
  await scene.isTidy();
});

test("a waiting pre says who holds the lock, since when, where, and its own place", async () => {
  const scene = openScene();
  const first = scene.job({ steps: [scene.lock({ note: "v1.2.3" }), gateStep("deploy")] });
  const gate = await first.gate("deploy");
  const second = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const line = (await second.logged("lock", /waiting for production/)).line;
  const url = `https://github.example/acme/shop/actions/runs/${first.description.runId}`;
  for (const part of [ownerOf(first), url, "v1.2.3", "1st in line"]) expect(line).toContain(part);
  const third = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  await third.logged("lock", /2nd in line/);
  gate.open();
  const next = await second.gate("deploy");
  // The third has moved up: that is worth a line.
  const moved = (await third.logged("lock", /1st in line/)).line;
  expect(moved).toContain(ownerOf(second));
  next.open();
  (await third.gate("deploy")).open();
  const report = await third.finished;
  expect(report.result).toBe("success");
  expect(report.stage("lock", "pre").result).toBe("success");
  await scene.isTidy();
});

test("the step summary has key, outcome, times, fence, and who was ahead", async () => {
  const scene = openScene();
  const first = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await first.gate("deploy");
  const second = scene.job({ steps: [scene.lock()] });
  await second.logged("lock", /waiting for production/);
  gate.open();
  const report = await second.finished;
  const { summary } = report.stage("lock", "post");
  const row = (name: string) => new RegExp(`^\\| ${name} \\| (.*) \\|$`, "m").exec(summary)?.[1];
  expect(row("Key")).toContain(KEY);
  expect(row("Outcome")).toBe("released");
  expect(row("Waited")).toMatch(/\d/);
  expect(row("Held for")).toMatch(/\d/);
  expect(row("Fence")).toBe(report.stage("lock").outputs.fence);
  const [, , run] = ownerOf(first).split("-");
  expect(row("Ahead")).toMatch(new RegExp(`^\\[.*\\]\\(https://.*/actions/runs/${run}\\)$`));
  expect(summary).toContain("```mermaid\ngantt");
  expect((await first.finished).stage("lock", "post").summary).toMatch(/\| Ahead \| nobody \|/);
  await scene.isTidy();
});

test("a long RUNNER_TEMP, where no socket would fit, is no obstacle", async () => {
  const scene = openScene();
  const directory = join(scene.directory, "x".repeat(120));
  mkdirSync(directory);
  const job = scene.job({ directory, steps: [scene.lock(), gateStep("deploy")] });
  const gate = await job.gate("deploy");
  const { socket } = leaseOf(job);
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(107);
  const place = realpathSync(join(socket, ".."));
  gate.open();
  const report = await job.finished;
  expect(report.result).toBe("success");
  expect(report.log("lock", "post")).toMatch(/released/);
  expect(() => readdirSync(place)).toThrow(/ENOENT/);
  await scene.isTidy();
});
