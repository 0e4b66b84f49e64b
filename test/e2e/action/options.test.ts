import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gateStep } from "../runner/start-job.ts";
import { KEY, openScene, ownerOf } from "../scene.ts";

/** The inputs that change what the stages do. */

test("required: false: not acquired in time is no failure, and hands nothing over", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const step = scene.lock({ required: "false", timeout: "1s" });
  const show = {
    id: "show",
    run: [
      process.execPath,
      "-p",
      "Object.keys(process.env).filter(n => /^HOLDFAST/.test(n)).join()",
    ],
  };
  const report = await scene.job({ steps: [step, show] }).finished;
  expect(report.result).toBe("success");
  expect(report.stage("lock", "main").outputs).toMatchObject({
    acquired: "false",
    key: KEY,
    fence: "",
    lease: "",
  });
  expect(Number(report.stage("lock", "main").outputs.waited)).toBeGreaterThanOrEqual(1);
  expect(report.log("show")).toBe("\n");
  expect(report.annotations("error")).toEqual([]);
  expect(report.annotations("notice").join()).toContain(ownerOf(holder));
  expect(report.stage("lock", "post").summary).toMatch(/not acquired/);
  expect(await scene.holders()).toEqual([ownerOf(holder)]);
  gate.open();
  expect((await holder.finished).result).toBe("success");
  await scene.isTidy();
});

test("required: false: acquired as usual where the lock is free", async () => {
  const scene = openScene();
  const report = await scene.job({ steps: [scene.lock({ required: "false" })] }).finished;
  expect(report.stage("lock").outputs.acquired).toBe("true");
  await scene.isTidy();
});

test("required: false: bad input and an unreachable store still fail", async () => {
  const scene = openScene();
  writeFileSync(join(scene.directory, "plain-file"), "");
  const inputs = { required: "false", store: join(scene.directory, "plain-file") };
  const unreachable = await scene.job({ steps: [scene.lock(inputs)] }).finished;
  expect(unreachable.stage("lock", "pre").code).toBe(1);
  expect(unreachable.annotations("error")).toHaveLength(1);
  expect(unreachable.annotations("error")[0]).toContain("plain-file");
  const bad = await scene.job({ steps: [scene.lock({ required: "false", slots: "x" })] }).finished;
  expect(bad.stage("lock", "pre").code).toBe(1);
  await scene.isTidy();
});

test("timeout: 0 does not wait", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const report = await scene.job({ steps: [scene.lock({ timeout: "0" })] }).finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")[0]).toContain(ownerOf(holder));
  expect(report.log("lock", "pre")).not.toMatch(/in line/);
  gate.open();
  await holder.finished;
  expect((await scene.job({ steps: [scene.lock({ timeout: "0" })] }).finished).result).toBe(
    "success",
  );
  await scene.isTidy();
});

test("slots: 2: two hold together, the third waits", async () => {
  const scene = openScene();
  const steps = [scene.lock({ slots: "2" }), gateStep("deploy")];
  const [first, second] = [scene.job({ steps }), scene.job({ steps })];
  const gates = [await first.gate("deploy"), await second.gate("deploy")] as const;
  expect((await scene.holders()).sort()).toEqual([ownerOf(first), ownerOf(second)].sort());
  const third = scene.job({ steps });
  await third.logged("lock", /waiting for production/);
  gates[1].open();
  const last = await third.gate("deploy");
  expect((await scene.holders()).sort()).toEqual([ownerOf(first), ownerOf(third)].sort());
  gates[0].open();
  last.open();
  for (const job of [first, second, third]) expect((await job.finished).result).toBe("success");
  await scene.isTidy();
});

test("slots that differ from the holder's are an error that names both", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock({ slots: "2" }), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const report = await scene.job({ steps: [scene.lock({ slots: "3" })] }).finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")[0]).toMatch(/2.*3|3.*2/);
  gate.open();
  await scene.isTidy();
});

test("resources name what was got, in the log, the outputs and the environment", async () => {
  const scene = openScene();
  const pool = { resources: "pixel\niphone\nfairphone" };
  const pair = scene.job({ steps: [scene.lock({ ...pool, weight: "2" }), gateStep("deploy")] });
  const gate = await pair.gate("deploy");
  const alone = await scene.job({ steps: [scene.lock(pool), gateStep("end")] });
  (await alone.gate("end")).open();
  gate.open();
  const [two, one] = [await pair.finished, await alone.finished];
  const both = JSON.stringify(["pixel", "iphone"]);
  expect(two.stage("lock").outputs).toMatchObject({ slot: "0", resource: both, resources: both });
  expect(two.stage("lock", "pre").env.HOLDFAST_RESOURCE).toBe(both);
  expect(two.log()).toMatch(/holds .* on pixel, iphone/);
  expect(one.stage("lock").outputs).toMatchObject({
    slot: "2",
    resource: "fairphone",
    resources: JSON.stringify(["fairphone"]),
  });
  expect(one.stage("lock", "pre").env.HOLDFAST_RESOURCE).toBe("fairphone");
  await scene.isTidy();
});

test("enabled: false turns every stage off", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const report = await scene.job({ steps: [scene.lock({ enabled: "false" })] }).finished;
  expect(report.result).toBe("success");
  expect(report.stages.map(({ code }) => code)).toEqual([0, 0, 0]);
  for (const end of report.stages) expect(end).toMatchObject({ env: {}, outputs: {}, state: {} });
  expect(report.log()).toMatch(/enabled/);
  gate.open();
  await scene.isTidy();
});

test("the same key twice in one job fails at once and says why", async () => {
  const scene = openScene();
  const second = scene.lock({}, { id: "again" });
  const started = performance.now();
  const report = await scene.job({ steps: [scene.lock(), second, gateStep("deploy")] }).finished;
  // At once: not after the 30 minutes that a claim waits.
  expect(performance.now() - started).toBeLessThan(30_000);
  expect(report.result).toBe("failure");
  expect(report.stage("again", "pre").code).toBe(1);
  expect(report.annotations("error")).toHaveLength(1);
  expect(report.annotations("error")[0]).toMatch(/already holds "production"/);
  expect(report.stage("lock", "post").code).toBe(0);
  expect(report.stage("again", "post").code).toBe(0);
  await scene.isTidy();
});

test("two keys in one job are two locks", async () => {
  const scene = openScene();
  const job = scene.job({
    steps: [scene.lock(), scene.lock({ key: "staging" }, { id: "other" }), gateStep("deploy")],
  });
  const gate = await job.gate("deploy");
  for (const key of [KEY, "staging"]) expect(await scene.holders(key)).toEqual([ownerOf(job)]);
  gate.open();
  expect((await job.finished).result).toBe("success");
  await scene.isTidy([KEY, "staging"]);
});

test("uses: ./ has no pre: main acquires, emits and hands over", async () => {
  const scene = openScene();
  const job = scene.job({
    steps: [
      scene.lock({}, { local: true }),
      { id: "verify", run: ["holdfast", "verify"] },
      gateStep("deploy"),
    ],
  });
  const gate = await job.gate("deploy");
  expect(await scene.holders()).toEqual([ownerOf(job)]);
  gate.open();
  const report = await job.finished;
  expect(report.result).toBe("success");
  expect(report.stage("lock", "main").outputs).toMatchObject({ acquired: "true", key: KEY });
  expect(report.stage("lock", "main").env.HOLDFAST_KEY).toBe(KEY);
  expect(report.log("lock", "post")).toMatch(/released/);
  await scene.isTidy();
});

test("an earlier action's failed pre: ours does not run, nor does anything take the lock", async () => {
  const scene = openScene();
  const uses = join(scene.directory, "broken");
  mkdirSync(uses);
  writeFileSync(
    join(uses, "action.yml"),
    "name: Broken\nruns:\n  using: node24\n  pre: fail.js\n  main: fail.js\n",
  );
  writeFileSync(join(uses, "fail.js"), "process.exit(1)");
  const report = await scene.job({ steps: [{ id: "broken", uses }, scene.lock()] }).finished;
  expect(report.skipped).toContain("lock pre");
  expect(report.stages.map(({ step }) => step)).toEqual(["broken"]);
  expect((await scene.inspect()).holders).toEqual([]);
});

test("the default store on a GitHub-hosted runner is an error, and nothing is claimed", async () => {
  const scene = openScene();
  const lock = scene.lock({ store: "" });
  const report = await scene.job({
    environment: "github-hosted",
    steps: [lock, gateStep("deploy")],
  }).finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")).toEqual([
    expect.stringMatching(/GitHub-hosted.*locks nobody out.*tcp:.*name it: file:/),
  ]);
  expect(report.skipped).toContain("deploy main");
  await scene.isTidy([]);
});

test("HOLDFAST_STORE=file:… on a GitHub-hosted runner counts as said: a warning", async () => {
  const scene = openScene();
  const lock = scene.lock({ store: "" }, { env: { HOLDFAST_STORE: scene.store } });
  const report = await scene.job({ environment: "github-hosted", steps: [lock] }).finished;
  expect(report.result).toBe("success");
  expect(report.annotations("warning")).toEqual([expect.stringMatching(/GitHub-hosted/)]);
  await scene.isTidy();
});

test("a file store on a GitHub-hosted runner is warned about once", async () => {
  const scene = openScene();
  const report = await scene.job({ environment: "github-hosted", steps: [scene.lock()] }).finished;
  expect(report.result).toBe("success");
  expect(report.annotations("warning")).toHaveLength(1);
  expect(report.annotations("warning")[0]).toMatch(/GitHub-hosted/);
  await scene.isTidy();
});

test("owner, note and format are what others see", async () => {
  const scene = openScene();
  const job = scene.job({
    steps: [
      scene.lock({ owner: "release-train-7", note: "v1.2.3", format: "json", ttl: "1h" }),
      gateStep("deploy"),
    ],
  });
  const gate = await job.gate("deploy");
  expect(await scene.inspect()).toMatchObject({
    holders: [{ owner: "release-train-7", note: "v1.2.3", ttl: 3_600, alive: true }],
  });
  const text = readFileSync(join(scene.directory, "locks", `${KEY}.lock`), "utf8");
  expect(JSON.parse(text)).toMatchObject({ owner: "release-train-7" });
  gate.open();
  expect((await job.finished).result).toBe("success");
  await scene.isTidy();
});
