import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { openForge, TOKEN } from "../git/place.ts";
import { openServed } from "../places.ts";
import type { JobOptions, JobRun } from "../runner/start-job.ts";
import { openScene, ownerOf, type Scene } from "../scene.ts";
import { blocksOf, blockWith } from "./home.ts";
import { stepsOf } from "./workflow.ts";

/** The workflows that the README shows, run as jobs on the stand-in runner. */

const example = (words: string) => blockWith("README.md", "yaml", words);

/** Says whether the lock is held while it runs. */
const SCRIPT = `#!/bin/bash
held=without
holdfast verify > /dev/null 2>&1 && held=with
echo "\${0##*/} $held the lock $*"
`;
const SCRIPTS = ["build", "deploy", "test", "backup", "smoke-test", "switch-traffic"];

/** A job of a scene, in whose workspace are the scripts that the examples name. */
function jobOf(scene: Scene, options: Pick<JobOptions, "steps"> & Partial<JobOptions>): JobRun {
  const directory = temporaryDirectory();
  const workspace = join(directory, "workspace");
  mkdirSync(workspace);
  for (const name of SCRIPTS) {
    writeFileSync(join(workspace, `${name}.sh`), SCRIPT);
    chmodSync(join(workspace, `${name}.sh`), 0o755);
  }
  return scene.job({ directory, ...options });
}

/** A job without a store of its own: that of the scene. */
const inScene = (scene: Scene) => ({ HOLDFAST_STORE: scene.store });

/** The job has succeeded. Gives what its scripts printed. */
async function printed(job: JobRun): Promise<string[]> {
  const report = await job.finished;
  expect(report.result, report.log()).toBe("success");
  return [...report.log().matchAll(/^[\w-]+\.sh with.*$/gm)].map(([line]) => line);
}

test("every workflow of the README is run here", () => {
  const workflows = blocksOf("README.md").filter(
    ({ language, text }) => language === "yaml" && text.includes("jobs:"),
  );
  expect(workflows).toHaveLength(6);
});

describe("the README's workflow", () => {
  test("at the top takes the lock in the job's own repository", async () => {
    const forge = await openForge();
    const [top = ""] = blocksOf("README.md").map(({ text }) => text);
    expect(await printed(jobOf(forge, { steps: stepsOf(top) }))).toEqual([
      "deploy.sh with the lock ",
    ]);
    expect(await forge.document()).toMatchObject({ holders: [], holds: [{ end: "released" }] });
    await forge.isTidy();
  });

  test("for several repositories takes it in another one, with a token for that", async () => {
    const forge = await openForge();
    const steps = stepsOf(example("github:acme/locks"), (text) =>
      text.replace("acme/locks", "acme/app").replace(/\$\{\{ secrets.LOCKS_TOKEN \}\}/, TOKEN),
    );
    const job = jobOf(forge, { steps, repository: "acme/shop", token: "ghs_of-the-shop" });
    expect(await printed(job)).toEqual(["deploy.sh with the lock "]);
    const { holds } = await forge.document();
    expect(holds).toMatchObject([{ owner: ownerOf(job), end: "released" }]);
    await forge.isTidy();
  });

  test("for two at a time lets two of its legs in, and the others wait", async () => {
    const scene = openScene();
    const [lock, ...rest] = stepsOf(example("slots: 2"), (text) =>
      text.replace(/\$\{\{ matrix.part \}\}/, "N"),
    );
    const gate = { id: "gate", run: ["/bin/bash", "-c", "echo inside; kill -STOP $$"] };
    const legs = [0, 1, 2].map((index) =>
      jobOf(scene, {
        steps: [lock, gate, ...rest] as JobOptions["steps"],
        leg: { matrix: { part: index + 1 }, index, total: 5 },
        runId: "1",
        env: inScene(scene),
      }),
    );
    const inside = (job: JobRun) =>
      job.events.some((event) => event.event === "log" && event.line === "inside");
    const waits = (job: JobRun) =>
      job.events.some((event) => event.event === "log" && /waiting for devices/.test(event.line));
    await expect.poll(() => legs.filter(inside).length, { timeout: 60_000 }).toBe(2);
    await expect.poll(() => legs.filter(waits).length, { timeout: 60_000 }).toBe(1);
    expect((await scene.inspect("devices")).holders).toHaveLength(2);
    for (const leg of [...legs.filter(inside), ...legs.filter((job) => !inside(job))]) {
      const { pid } = await leg.started("gate");
      await leg.logged("gate", /inside/);
      process.kill(pid, "SIGCONT");
      expect(await printed(leg)).toEqual(["test.sh with the lock --part N"]);
    }
    await scene.isTidy(["devices"]);
  });

  test("for a backup runs it where the lock is free, and skips it where it is held", async () => {
    const scene = openScene();
    const steps = stepsOf(example("key: backup"));
    expect(await printed(jobOf(scene, { steps, env: inScene(scene) }))).toEqual([
      "backup.sh with the lock ",
    ]);
    const holder = scene.job({
      steps: [
        scene.lock({ key: "backup" }),
        { id: "hold", run: ["/bin/sh", "-c", "kill -STOP $$"] },
      ],
    });
    const { pid } = await holder.started("hold");
    const job = jobOf(scene, { steps, env: inScene(scene) });
    expect(await printed(job)).toEqual([]);
    expect((await job.finished).stage("lock").outputs).toMatchObject({ acquired: "false" });
    process.kill(pid, "SIGCONT");
    await holder.finished;
    await scene.isTidy(["backup"]);
  });

  test("for a part of the job has the lock in that part alone", async () => {
    const scene = openScene();
    const steps = stepsOf(example("stage: main"));
    expect(await printed(jobOf(scene, { steps, env: inScene(scene) }))).toEqual([
      "test.sh without the lock ",
      "deploy.sh with the lock ",
      "smoke-test.sh without the lock ",
    ]);
    await scene.isTidy();
  });

  test("for a lock server hands the fence on", async () => {
    const scene = await openServed("tcp");
    const steps = stepsOf(example("tls://locks.internal"), (text) =>
      text
        .replace("tls://locks.internal:6388", scene.store)
        .replace(/\$\{\{ secrets.HOLDFAST_TOKEN \}\}/, '""'),
    );
    const job = jobOf(scene, { steps });
    const lines = await printed(job);
    const { fence } = (await job.finished).stage("lock").outputs;
    expect(fence).toMatch(/^\d{16}$/);
    expect(lines).toEqual([
      "build.sh with the lock ",
      `switch-traffic.sh with the lock --fence ${fence}`,
    ]);
    await scene.isTidy();
  });
});
