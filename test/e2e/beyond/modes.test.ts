import { describe, expect, test } from "vitest";
import { killKeeper, succeeds, verify } from "../jobs.ts";
import { gateStep } from "../runner/start-job.ts";
import { filesIn, KEY, openScene, ownerOf } from "../scene.ts";
import { openAt, PLACES } from "./places.ts";

/** What a step can do beside holding, and what it says when it did not run. */

describe.each(PLACES)("mode: check, in a %s store", (place) => {
  test("tells who holds a key, and takes nothing", async () => {
    const scene = await openAt(place);
    const look = scene.lock({ mode: "check" });
    const free = await scene.job({ steps: [look] }).finished;
    expect(free.result).toBe("success");
    expect(free.stage("lock").outputs).toMatchObject({ held: "false", holder: "", key: KEY });
    expect(free.log("lock", "main")).toMatch(/holdfast: production is free$/m);
    expect(free.log("lock", "pre")).toBe("holdfast: mode: check acts at the step itself\n");
    expect(free.stages.flatMap(({ env }) => Object.keys(env))).toEqual([]);

    const holder = scene.job({ steps: [scene.lock(), gateStep("deploy"), verify] });
    const gate = await holder.gate("deploy");
    const held = await scene.job({ steps: [look] }).finished;
    const { outputs } = held.stage("lock");
    expect(outputs.held).toBe("true");
    expect(JSON.parse(outputs.holder ?? "")).toMatchObject({
      owner: ownerOf(holder),
      metadata: { job: "deploy" },
    });
    expect(held.log("lock", "main")).toMatch(/production is held by Deploy of acme\/\w+/);
    expect(held.log("lock", "post")).toBe("");
    gate.open();
    await succeeds(holder);
    await scene.isTidy();
  });
});

test("check of several keys finds the one that is held, and a freeze; a dead holder is none", async () => {
  const scene = await openAt("file");
  const key = "a\nb";
  const holder = scene.job({ steps: [scene.lock({ key: "b" }), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const store = await scene.open();
  await store.freeze?.("a", { reason: "release week", duration: null, owner: "ann" });
  const check = () => scene.job({ steps: [scene.lock({ key, mode: "check" })] }).finished;
  const report = await check();
  expect(report.stage("lock").outputs).toMatchObject({ held: "true", key: "a" });
  expect(report.log("lock", "main")).toMatch(
    /a is free; frozen by ann: release week, until it is thawed\n.*b is held by/,
  );
  await killKeeper(holder);
  expect((await check()).stage("lock").outputs).toMatchObject({ held: "false", holder: "" });
  gate.open();
  await holder.finished;
});

describe("a step whose if: is false", () => {
  test("held its lock all the same, and post says so, and what to do", async () => {
    const scene = openScene();
    const job = scene.job({ steps: [scene.lock({}, { if: "env.NEVER == 'yes'" })] });
    const report = await job.finished;
    expect(report.result).toBe("success");
    expect(report.skipped).toEqual(["lock main"]);
    expect(report.log("lock", "post")).toMatch(
      /the step itself did not run \(its if: was false.*production was held all the same.*stage: main/,
    );
    await scene.isTidy();
  });

  test("held none with stage: main, and with enabled: false, and says nothing", async () => {
    for (const inputs of [{ stage: "main" }, { enabled: "false" }] as Record<string, string>[]) {
      const scene = openScene();
      const job = scene.job({ steps: [scene.lock(inputs, { if: "env.NEVER == 'yes'" })] });
      const report = await job.finished;
      expect(report.result).toBe("success");
      expect(report.log("lock", "post")).toBe("");
      expect(filesIn(`${scene.directory}/locks`)).toEqual([]);
      await scene.isTidy();
    }
  });
});

describe("inputs that contradict each other, and values that are not known", () => {
  test.each([
    [{ mode: "check", until: "run" }, /^Input until: .*mode: check claims none/],
    [{ mode: "check", line: "newest" }, /^Input line: .*mode: check claims none/],
    [{ mode: "release", line: "newest" }, /^Input line: .*mode: release claims none/],
    [{ mode: "steal" }, /^Input mode: "steal" is not known: use hold or release or check/],
    [{ until: "tomorrow" }, /^Input until: "tomorrow" is not known: use job or run/],
    [{ line: "lifo" }, /^Input line: .*"lifo".*fifo or newest/],
    [{ key: "a\n\u0007" }, /^Input key: /],
  ] as [Record<string, string>, RegExp][])("%j", async (inputs, says) => {
    const scene = openScene();
    const report = await scene.job({ steps: [scene.lock(inputs)] }).finished;
    expect(report.stage("lock", "pre")).toMatchObject({ code: 1, result: "failure" });
    expect(report.annotations("error")).toEqual([expect.stringMatching(says)]);
    expect(report.annotations("error")[0]).not.toContain("\n");
    expect(filesIn(`${scene.directory}/locks`)).toEqual([]);
    await scene.isTidy();
  });

  test("until: run, on a runner that does not tell one run from another", async () => {
    const scene = openScene();
    const env = { ACT: "true" };
    const report = await scene.job({ runId: "1", env, steps: [scene.lock({ until: "run" })] })
      .finished;
    expect(report.result).toBe("failure");
    expect(report.annotations("error")).toEqual([expect.stringMatching(/^Input until: .*job\.$/)]);
    await scene.isTidy();
  });

  test("a second step of the job that asks for its run's key without until: run", async () => {
    const scene = openScene();
    const again = { ...scene.lock({ stage: "main" }), id: "again" };
    const release = { ...scene.lock({ mode: "release" }, { if: "always()" }), id: "release" };
    const job = scene.job({ steps: [scene.lock({ until: "run" }), again, release] });
    const report = await job.finished;
    expect(report.annotations("error")).toEqual([expect.stringMatching(/^This job already holds/)]);
    expect(report.log("release", "main")).toMatch(/released for the whole run/);
    await scene.isTidy();
  });
});
