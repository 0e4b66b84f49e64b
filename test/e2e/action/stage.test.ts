import { describe, expect, test } from "vitest";
import { until } from "../../helpers/waiting.ts";
import { gateStep } from "../runner/start-job.ts";
import { KEY, leaseOf, openScene, ownerOf } from "../scene.ts";

/** A step whose output others can use in their inputs. */
const choose = (name: string, value: string) => ({
  id: "choose",
  run: ["/bin/sh", "-c", `echo '${name}=${value}' >> "$GITHUB_OUTPUT"`],
});

/** An expression for that output, or for another value as long as there is none. */
const chosen = (otherwise = "") => `\${{ steps.choose.outputs.name || '${otherwise}' }}`;

describe("an input that depends on an earlier step", () => {
  test.each([
    ["key", `deploy-${chosen()}`, "blue", "deploy-"],
    ["slots", chosen("1"), "2", KEY],
    ["enabled", chosen("true"), "false", KEY],
  ])(
    "%s: main fails and says to use stage: main; post releases the lock",
    async (input, expression, value, key) => {
      const scene = openScene();
      const job = scene.job({
        steps: [choose("name", value), scene.lock({ [input]: expression }), gateStep("deploy")],
      });
      const report = await job.finished;
      expect(report.result).toBe("failure");
      expect(report.stage("lock", "main")).toMatchObject({ code: 1, outputs: {} });
      const [sentence = ""] = report.annotations("error");
      expect(sentence).toMatch(new RegExp(`^Input ${input} is .*${value}.*stage: main`));
      expect(report.skipped).toContain("deploy main");
      expect(report.log("lock", "post")).toMatch(/released after/);
      await scene.isTidy([key]);
    },
  );

  test("enabled was false before the first step and is true at the step: no lock, and main fails", async () => {
    const scene = openScene();
    const enabled = chosen("false");
    const report = await scene.job({ steps: [choose("name", "true"), scene.lock({ enabled })] })
      .finished;
    expect(report.result).toBe("failure");
    expect(report.annotations("error")).toEqual([
      expect.stringMatching(/^Input enabled.*stage: main/),
    ]);
    await scene.isTidy();
  });

  test("with stage: main it is used as it is at the step", async () => {
    const scene = openScene();
    const key = `deploy-${chosen()}`;
    const job = scene.job({
      steps: [choose("name", "blue"), scene.lock({ key, stage: "main" }), gateStep("deploy")],
    });
    const gate = await job.gate("deploy");
    expect(await scene.holders("deploy-blue")).toEqual([ownerOf(job)]);
    expect(await scene.holders("deploy-")).toEqual([]);
    gate.open();
    const report = await job.finished;
    expect(report.result).toBe("success");
    expect(report.stage("lock", "main").outputs).toMatchObject({
      acquired: "true",
      key: "deploy-blue",
    });
    await scene.isTidy(["deploy-blue"]);
  });
});

describe("stage: main", () => {
  test("nothing is claimed before the first step", async () => {
    const scene = openScene();
    const job = scene.job({ steps: [gateStep("build"), scene.lock({ stage: "main" })] });
    const gate = await job.gate("build");
    expect(await scene.inspect()).toMatchObject({ holders: [], waiting: 0 });
    gate.open();
    expect((await job.finished).result).toBe("success");
    await scene.isTidy();
  });

  test("an if on the step that is false claims nothing at all", async () => {
    const scene = openScene();
    const lock = scene.lock({ stage: "main" }, { if: "false" });
    const job = scene.job({ steps: [lock, gateStep("deploy")] });
    const gate = await job.gate("deploy");
    expect(await scene.inspect()).toMatchObject({ holders: [], waiting: 0 });
    gate.open();
    expect((await job.finished).result).toBe("success");
    await scene.isTidy();
  });
});

describe("stage: line", () => {
  test("the job stands in line while it builds, is passed by ready ones, and holds from its step on", async () => {
    const scene = openScene();
    const steps = [gateStep("build"), scene.lock({ stage: "line" }), gateStep("deploy")];
    const job = scene.job({ steps });
    const build = await job.gate("build");
    expect(await scene.inspect()).toMatchObject({ holders: [], waiters: [{ ready: false }] });
    const other = await scene.job({ steps: [scene.lock()] }).finished;
    expect(other.result).toBe("success");
    expect(await scene.inspect()).toMatchObject({ holders: [], waiting: 1 });
    build.open();
    const deploy = await job.gate("deploy");
    expect(await scene.holders()).toEqual([ownerOf(job)]);
    deploy.open();
    const report = await job.finished;
    expect(report.result).toBe("success");
    const told = report
      .log("lock", "pre")
      .split("\n")
      .filter((line) => line.includes("line"));
    expect(told).toEqual([
      `holdfast: this job stands in line for ${KEY}: 1st; takes the lock at the step`,
    ]);
    expect(report.stage("lock", "main").outputs).toMatchObject({ acquired: "true", slot: "0" });
    expect(report.log("lock", "post")).toMatch(/released after/);
    await scene.isTidy();
  });

  test("a job that never reaches its step leaves the line at its end", async () => {
    const scene = openScene();
    const fails = { id: "build", run: ["/bin/sh", "-c", "exit 1"] };
    const job = scene.job({ steps: [fails, scene.lock({ stage: "line" })] });
    const report = await job.finished;
    expect(report.result).toBe("failure");
    expect(report.log("lock", "post")).toMatch(
      /left the line for .+, since the step did not take the lock/,
    );
    expect(report.annotations("error")).toEqual([]);
    await scene.isTidy();
  });

  test("a job that never reaches its step has lost nothing, whatever became of its place", async () => {
    const scene = openScene();
    const early = () => scene.lock({ stage: "line", line: "newest", "on-lost": "fail" });
    const failing = () =>
      scene.job({ steps: [gateStep("build", { code: 1 }), early(), gateStep("deploy")] });
    const superseded = failing();
    const builds = [await superseded.gate("build")];
    const stopped = failing();
    builds.push(await stopped.gate("build"));
    await until(() => leaseOf(superseded).state === "lost");
    process.kill(leaseOf(stopped).keeper.pid, "SIGSTOP");
    for (const build of builds) build.open();
    for (const job of [superseded, stopped]) {
      const report = await job.finished;
      expect(report.log("lock", "post")).toMatch(
        job === superseded ? /left the line for .+: .+ superseded by/ : /left the line for /,
      );
      for (const level of ["error", "warning"] as const)
        expect(report.annotations(level)).toEqual([]);
      expect(report.stage("lock", "post").code).toBe(0);
    }
    await scene.isTidy();
  });

  test("the timeout counts from the step, and the job goes on without the lock where it may", async () => {
    const scene = openScene();
    const holder = scene.job({ steps: [scene.lock(), gateStep("hold")] });
    const hold = await holder.gate("hold");
    const lock = scene.lock({ stage: "line", timeout: "1s", required: "false" });
    const report = await scene.job({ steps: [lock] }).finished;
    expect(report.result).toBe("success");
    expect(report.stage("lock", "main").outputs).toMatchObject({ acquired: "false", fence: "" });
    expect(report.log("lock", "main")).toContain("within 1s");
    hold.open();
    await holder.finished;
    await scene.isTidy();
  });

  test("before its first step the log tells place, holder and estimate of each key in a line", async () => {
    const scene = openScene();
    for (let times = 0; times < 3; times += 1)
      await scene.job({ steps: [scene.lock({ key: "a" })] }).finished;
    const holder = scene.job({ steps: [scene.lock({ key: "a" }), gateStep("hold")] });
    const hold = await holder.gate("hold");
    const lock = scene.lock({ key: "b\na", stage: "line" });
    const job = scene.job({ steps: [gateStep("build"), lock, gateStep("deploy")] });
    const build = await job.gate("build");
    for (const key of ["a", "b"])
      expect(await scene.inspect(key)).toMatchObject({ waiters: [{ ready: false }] });
    build.open();
    await job.logged("lock", /waiting for a: 1st in line;.* held by/);
    // It is not its turn for the first, so it keeps nobody out of the second.
    expect(await scene.inspect("b")).toMatchObject({ holders: [], waiters: [{ ready: false }] });
    hold.open();
    const deploy = await job.gate("deploy");
    for (const key of ["a", "b"]) expect(await scene.holders(key)).toEqual([ownerOf(job)]);
    deploy.open();
    const report = await job.finished;
    const told = report
      .log("lock", "pre")
      .split("\n")
      .filter((line) => line.includes("in line"));
    expect(told).toEqual([
      expect.stringMatching(
        /^holdfast: this job stands in line for a: 1st; your turn .+; held by .+; takes the lock at the step \(https:.+\)$/,
      ),
      "holdfast: this job stands in line for b: 1st; takes the lock at the step",
    ]);
    expect(report.log("lock", "main").split("waiting for b")[0]).toContain("waiting for a");
    expect(Object.keys(JSON.parse(report.stage("lock", "main").outputs.fences ?? ""))).toEqual([
      "b",
      "a",
    ]);
    await holder.finished;
    await scene.isTidy(["a", "b"]);
  });

  test("weight and priority count from the step on", async () => {
    const scene = openScene();
    const slots = { slots: "2" };
    const urgent = scene.lock({ ...slots, stage: "line", weight: "all", priority: "9" });
    const job = scene.job({ steps: [gateStep("build"), urgent, gateStep("deploy")] });
    const build = await job.gate("build");
    const light = scene.job({ steps: [scene.lock(slots), gateStep("hold")] });
    const hold = await light.gate("hold");
    build.open();
    await job.logged("lock", /waiting for .*1st in line; held by/);
    // There is room for it, and it comes after the heavy one all the same.
    const other = scene.job({ steps: [scene.lock(slots)] });
    await other.logged("lock", /waiting for .*2nd in line/);
    hold.open();
    const deploy = await job.gate("deploy");
    expect(await scene.inspect()).toMatchObject({ holders: [{ weight: 2, slots: [0, 1] }] });
    deploy.open();
    for (const each of [job, light, other]) expect((await each.finished).result).toBe("success");
    await scene.isTidy();
  });

  test("with line: newest a newer job that takes the free lock past the place ends it, and the step says so", async () => {
    const scene = openScene();
    const steps = (more = {}) => [
      gateStep("build"),
      scene.lock({ stage: "line", line: "newest", ...more }),
      gateStep("deploy"),
    ];
    const older = scene.job({ steps: steps() });
    const builds = [await older.gate("build")];
    const mild = scene.job({ steps: steps({ required: "false" }) });
    builds.push(await mild.gate("build"));
    const newest = scene.job({ steps: steps({ stage: "pre" }) });
    builds.push(await newest.gate("build"));
    for (const build of builds) build.open();
    const report = await older.finished;
    expect(report.result).toBe("failure");
    expect(report.annotations("error")).toEqual([
      expect.stringMatching(/superseded by ci-github-/),
    ]);
    (await mild.gate("deploy")).open();
    expect((await mild.finished).stage("lock", "main").outputs).toMatchObject({
      acquired: "false",
      "superseded-by": ownerOf(newest),
    });
    (await newest.gate("deploy")).open();
    expect((await newest.finished).result).toBe("success");
    await scene.isTidy();
  });

  test("a keeper that was killed keeps nobody waiting, and the step says that the place is gone", async () => {
    const scene = openScene();
    const steps = [gateStep("build"), scene.lock({ stage: "line" }), gateStep("deploy")];
    const job = scene.job({ steps });
    const build = await job.gate("build");
    process.kill(leaseOf(job).keeper.pid, "SIGKILL");
    const other = await scene.job({ steps: [scene.lock()] }).finished;
    expect(other.log("lock", "pre")).not.toContain("waiting");
    build.open();
    const report = await job.finished;
    expect(report.result).toBe("failure");
    expect(report.skipped).toContain("deploy main");
    expect(report.annotations("error")).toEqual([
      expect.stringMatching(/^The place in line is gone with the process that kept it\./),
    ]);
    await scene.isTidy();
  });

  test("a cancelled job leaves the line at once, while it builds or waits at its step", async () => {
    const scene = openScene();
    const lock = scene.lock({ stage: "line" });
    const building = scene.job({ steps: [gateStep("build"), lock, gateStep("deploy")] });
    await building.gate("build");
    expect(await scene.inspect()).toMatchObject({ waiting: 1 });
    building.cancel();
    expect((await building.finished).result).toBe("cancelled");
    expect(await scene.inspect()).toMatchObject({ holders: [], waiting: 0 });

    const holder = scene.job({ steps: [scene.lock(), gateStep("hold")] });
    const hold = await holder.gate("hold");
    const waiting = scene.job({ steps: [lock, gateStep("deploy")] });
    await waiting.logged("lock", /waiting for .*1st in line; held by/);
    waiting.cancel();
    const report = await waiting.finished;
    expect(report.result).toBe("cancelled");
    expect(report.stage("lock", "post").code).toBe(0);
    expect(report.annotations("error")).toEqual([]);
    expect(await scene.inspect()).toMatchObject({ waiting: 0 });
    hold.open();
    expect((await holder.finished).result).toBe("success");
    await scene.isTidy();
  });

  test("a runner that ends in the middle of the build takes its place along", async () => {
    const scene = openScene();
    const job = scene.job({ steps: [gateStep("build"), scene.lock({ stage: "line" })] });
    const build = await job.gate("build");
    expect(await scene.inspect()).toMatchObject({ waiting: 1 });
    await job.crash();
    await until(async () => (await scene.inspect()).waiting === 0);
    // The stand-in sweeps no processes of a runner that was killed.
    build.open();
    await scene.isTidy();
  });

  test("with history: cache, which this runner does not have, the line is told all the same", async () => {
    const scene = openScene();
    const lock = scene.lock({ stage: "line", history: "cache" });
    const report = await scene.job({ steps: [lock] }).finished;
    expect(report.result).toBe("success");
    expect(report.log("lock", "pre")).toContain("stands in line for production: 1st");
    await scene.isTidy();
  });

  test("with until: run it says at once that it cannot", async () => {
    const scene = openScene();
    const lock = scene.lock({ stage: "line", until: "run" });
    const report = await scene.job({ steps: [lock] }).finished;
    expect(report.result).toBe("failure");
    expect(report.annotations("error")[0]).toMatch(/^Input stage: .*stage: main/);
    await scene.isTidy();
  });
});
