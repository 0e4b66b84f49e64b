import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { keeperOf, killKeeper, saysNothing, succeeds, verify, waits } from "../jobs.ts";
import { gateBeforeSteps, gateStep, type JobRun } from "../runner/start-job.ts";
import { filesIn, KEY, leaseOf, ownerOf } from "../scene.ts";
import { type ForgeScene, openForge, TOKEN } from "./place.ts";

/** The whole life of a lock in the refs of the job's own repository. */

test("without a store it is the job's own repository, and post leaves nobody there", async () => {
  const forge = await openForge();
  const job = forge.job({ steps: [forge.lock(), gateStep("deploy"), verify] });
  const gate = await job.gate("deploy");
  const { holders, line } = await forge.document();
  expect(line).toEqual([]);
  expect(holders).toMatchObject([
    { owner: ownerOf(job), life: { kind: "job", job: job.description.checkRun, run: "7001" } },
  ]);
  gate.open();
  const report = await succeeds(job);
  saysNothing(report);
  const [first] = report.log("lock", "pre").split("\n");
  expect(first).toBe(
    `holdfast: the store is ${forge.git.url}, which excludes every job that uses this repository for its locks`,
  );
  expect(report.stage("lock", "main").outputs).toMatchObject({
    acquired: "true",
    key: KEY,
    store: forge.git.url,
    fence: String(holders[0]?.fence),
  });
  expect(report.log("lock", "main")).toMatch(/this job holds production/);
  expect(report.stage("lock", "post").code).toBe(0);
  // Claim, main, the step that verifies, release.
  expect(forge.git.counts.push).toBe(4);
  expect(await forge.document()).toMatchObject({
    holders: [],
    line: [],
    fence: holders[0]?.fence,
    holds: [{ owner: ownerOf(job), end: "released" }],
  });
  // One ref for the key, and nothing that a person would see among branches and tags.
  expect(await forge.git.git("for-each-ref", "--format=%(refname)")).toBe(
    "refs/holdfast/v1/production\n",
  );
  await forge.isTidy();
});

test("the job's token is in no log, state, output, file, process list or ref", async () => {
  const forge = await openForge();
  const leak = { id: "leak", run: [process.execPath, "-p", JSON.stringify(`it is ${TOKEN}`)] };
  const job = forge.job({ steps: [forge.lock(), leak, gateStep("deploy"), verify] });
  const gate = await job.gate("deploy");
  expect(filesWithToken(forge).filter((name) => !name.endsWith("job.json"))).toEqual([]);
  expect(JSON.stringify(leaseOf(job))).not.toContain(TOKEN);
  expect(commandLinesWithToken()).toEqual([]);
  // The steps of a job are not given its token: they must not find it in the keeper's environment.
  const environment = readFileSync(`/proc/${await keeperOf(job)}/environ`, "utf8");
  expect(environment).toContain("RUNNER_TRACKING_ID=");
  expect(environment).not.toContain(TOKEN);
  gate.open();
  const report = await succeeds(job);
  expect(report.log("leak")).toBe("it is ***\n");
  expect(report.log("lock")).not.toContain(TOKEN);
  for (const end of report.stages) expect(JSON.stringify(end)).not.toContain(TOKEN);
  expect(await forge.git.git("log", "--all", "--format=raw")).not.toContain(TOKEN);
  await forge.isTidy();
});

test("a second job waits for the first, and gets the lock with a higher fence", async () => {
  const forge = await openForge();
  const steps = [forge.lock(), gateStep("deploy"), verify];
  const first = forge.job({ steps });
  const gate = await first.gate("deploy");
  const second = forge.job({ steps });
  await waits(second);
  const { line, holders } = await forge.document();
  expect(holders.map(({ owner }) => owner)).toEqual([ownerOf(first)]);
  expect(line.map(({ owner }) => owner)).toEqual([ownerOf(second)]);
  expect(second.events.some((event) => event.event === "stage-end")).toBe(false);
  gate.open();
  const before = await succeeds(first);
  (await second.gate("deploy")).open();
  const after = await succeeds(second);
  expect(fenceOf(after)).toBeGreaterThan(fenceOf(before));
  expect(after.log("lock", "pre")).toContain(ownerOf(first));
  await forge.isTidy();
});

test("a keeper that was killed: the lock is still the job's, and every stage finds it", async () => {
  const forge = await openForge();
  const withToken = { ...verify, env: { HOLDFAST_TOKEN: TOKEN } };
  const job = forge.job({ steps: [forge.lock(), gateBeforeSteps("early"), withToken] });
  const gate = await job.gate("early");
  await killKeeper(job);
  gate.open();
  const report = await succeeds(job);
  expect(report.log("lock", "main")).toMatch(/this job holds production/);
  expect(report.stage("lock", "post").code).toBe(0);
  await forge.isTidy();
});

test("cancelled while it waits: it leaves the line", async () => {
  const forge = await openForge();
  const steps = [forge.lock(), gateStep("deploy"), verify];
  const first = forge.job({ steps });
  const gate = await first.gate("deploy");
  const second = forge.job({ steps });
  await waits(second);
  second.cancel();
  expect((await second.finished).result).toBe("cancelled");
  expect((await forge.document()).line).toEqual([]);
  gate.open();
  await succeeds(first);
  await forge.isTidy();
});

function fenceOf(report: Awaited<JobRun["finished"]>): number {
  return Number(report.stage("lock", "main").outputs.fence);
}

/** Every file below the scene that has the token, by its path. */
function filesWithToken({ directory }: ForgeScene): string[] {
  return filesIn(directory).filter((name) => {
    const path = join(directory, name);
    return lstatSync(path).isFile() && readFileSync(path).includes(TOKEN);
  });
}

function commandLinesWithToken(): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`).includes(TOKEN);
    } catch {
      return false;
    }
  });
}
