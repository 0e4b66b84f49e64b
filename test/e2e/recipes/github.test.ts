import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openStore } from "../../../src/stores/open.ts";
import { start } from "../../helpers/processes.ts";
import { openForge, TOKEN } from "../git/place.ts";
import type { JobReport } from "../runner/start-job.ts";
import { openScene } from "../scene.ts";
import { isOneAtATime, journal, recipe, startWorkflow, TITLES } from "./workflow.ts";

/** The workflows of docs/recipes.md, each run as it stands there. Two others are in elsewhere.test.ts. */

test("the reader of journals knows one at a time from two", () => {
  expect(isOneAtATime(["begin 1 a", "end 1 a", "begin 2 a", "end 2 a"])).toBe(true);
  expect(isOneAtATime(["begin 1 a", "begin 2 a", "end 1 a", "end 2 a"])).toBe(false);
});

test("fifteen recipes are there", () => {
  expect(TITLES).toHaveLength(15);
});

function succeed(reports: ReadonlyMap<string, JobReport>): void {
  for (const [name, { result, log }] of reports)
    expect(result, `${name}\n${log()}`).toBe("success");
}

test("One deployment at a time", async () => {
  const forge = await openForge();
  const runs = ["501", "502"].map((runId) =>
    startWorkflow(forge, recipe("One deployment at a time"), { runId }),
  );
  for (const { finished } of runs) succeed(await finished);
  // Both scripts of a run, and nothing of the other run in between.
  const lines = journal(forge);
  expect(lines).toHaveLength(8);
  expect(new Set(lines.slice(0, 4).map((line) => line.split(" ")[1])).size).toBe(1);
  expect(isOneAtATime(lines)).toBe(true);
  await forge.isTidy(["production"]);
});

test("Over several jobs of a run", async () => {
  const forge = await openForge();
  const yaml = recipe("Over several jobs of a run");
  const first = startWorkflow(forge, yaml, { runId: "501" });
  await (await first.job("migrate")).ended("step-0", "pre");
  const second = startWorkflow(forge, yaml, { runId: "502" });
  for (const { finished } of [first, second]) {
    const reports = await finished;
    expect([...reports.keys()]).toEqual(["migrate", "deploy", "unlock"]);
    succeed(reports);
  }
  expect(journal(forge).map((line) => line.split(":")[0])).toEqual(
    ["501", "502"].flatMap((run) =>
      ["migrate", "deploy"].flatMap((job) => [`begin ${run} ${job}`, `end ${run} ${job}`]),
    ),
  );
  await forge.isTidy(["production"]);
});

test("Many runners share three test environments", async () => {
  const forge = await openForge();
  const yaml = recipe("Many runners share three test environments");
  succeed(await startWorkflow(forge, yaml, { runId: "501" }).finished);
  const lines = journal(forge);
  expect(lines.filter((line) => line.startsWith("begin "))).toHaveLength(4);
  for (const line of lines)
    expect(line).toMatch(/: test (cart|checkout|search|login) (blue|green|amber)$/);
  for (const environment of ["blue", "green", "amber"])
    expect(isOneAtATime(lines, new RegExp(`${environment}$`))).toBe(true);
  await forge.isTidy(["test-environments"]);
});

test("A pool of devices", async () => {
  const forge = await openForge();
  const yaml = recipe("A pool of devices");
  succeed(await startWorkflow(forge, yaml, { runId: "501" }).finished);
  expect(journal(forge).join("\n")).toContain("pixel-9");
  const store = await openStore(forge.git.url, { token: `x-access-token:${TOKEN}` });
  const only = { owner: "ann", resource: "iphone-17" };
  await store.freeze?.("phones", { ...only, reason: "its display is broken", duration: null });
  succeed(await startWorkflow(forge, yaml, { runId: "502" }).finished);
  const lines = journal(forge).filter((line) => line.includes(" 502 "));
  expect(lines.filter((line) => line.startsWith("begin "))).toHaveLength(4);
  // The frozen one was given to nobody, the others to one at a time.
  for (const line of lines)
    expect(line).toMatch(/: test (cart|checkout|search|login) (pixel-9|fairphone-6)$/);
  for (const device of ["pixel-9", "fairphone-6"])
    expect(isOneAtATime(lines, new RegExp(`${device}$`))).toBe(true);
  expect(await store.thaw?.("phones", only)).toMatchObject({ by: "ann" });
  await store.close();
  await forge.isTidy(["phones"]);
});

test("Many tests and one migration", async () => {
  const forge = await openForge();
  const yaml = recipe("Many tests and one migration");
  const dispatch = (runId: string, what: string) =>
    startWorkflow(forge, yaml, { runId, contexts: { inputs: { what } } });
  const runs = [dispatch("501", "test"), dispatch("502", "test"), dispatch("503", "migrate")];
  for (const { finished } of runs) succeed(await finished);
  const lines = journal(forge);
  expect(lines).toHaveLength(6);
  // Nothing else is between the beginning and the end of the migration.
  const begin = lines.findIndex((line) => line.includes("migrate"));
  expect(lines[begin + 1]).toBe(lines[begin]?.replace("begin", "end"));
  await forge.isTidy(["staging-database"]);
});

test("A hotfix goes first", async () => {
  const forge = await openForge();
  const yaml = recipe("A hotfix goes first");
  const dispatch = (runId: string, hotfix: string) =>
    startWorkflow(forge, yaml, { runId, contexts: { inputs: { hotfix } } });
  const hold = startWorkflow(forge, recipe("Over several jobs of a run"), { runId: "500" });
  await (await hold.job("migrate")).ended("step-0", "pre");
  const later = dispatch("501", "");
  await (await later.job("deploy")).logged("step-0", /waiting for production/);
  const hotfix = dispatch("502", "true");
  await (await hotfix.job("deploy")).logged("step-0", /waiting for production: 1st in line/);
  for (const { finished } of [hold, hotfix, later]) succeed(await finished);
  const runs = journal(forge).map((line) => line.split(" ")[1]);
  expect([...new Set(runs)]).toEqual(["500", "502", "501"]);
  await forge.isTidy(["production"]);
});

test("In line while it builds", async () => {
  const forge = await openForge();
  const yaml = recipe("In line while it builds");
  const hold = startWorkflow(forge, recipe("Over several jobs of a run"), { runId: "500" });
  await (await hold.job("migrate")).ended("step-0", "pre");
  const first = startWorkflow(forge, yaml, { runId: "501" });
  await (await first.job("release")).logged("step-2", /stands in line for production/);
  const later = startWorkflow(forge, recipe("One deployment at a time"), { runId: "502" });
  for (const { finished } of [hold, first, later]) succeed(await finished);
  const runs = journal(forge)
    .filter((line) => line.includes(": deploy"))
    .map((line) => line.split(" ")[1]);
  expect([...new Set(runs)]).toEqual(["500", "501", "502"]);
  await forge.isTidy(["production"]);
});

test("Freeze during an incident", async () => {
  const forge = await openForge();
  const yaml = recipe("Freeze during an incident");
  const dispatch = (runId: string, what: string) =>
    startWorkflow(forge, yaml, { runId, contexts: { inputs: { what, reason: "it burns" } } });
  succeed(await dispatch("501", "freeze").finished);
  const deploy = startWorkflow(forge, recipe("One deployment at a time"), { runId: "502" });
  const job = await deploy.job("deploy");
  const { line } = await job.logged("step-0", /waiting for production/);
  expect(line).toMatch(/frozen by \S+: it burns, until \S+Z/);
  succeed(await dispatch("503", "thaw").finished);
  succeed(await deploy.finished);
  expect(journal(forge)).toHaveLength(4);
  await forge.isTidy(["production"]);
});

test("The newest deployment wins", async () => {
  const forge = await openForge();
  const yaml = recipe("The newest deployment wins");
  const hold = startWorkflow(forge, recipe("Over several jobs of a run"), { runId: "500" });
  await (await hold.job("migrate")).ended("step-0", "pre");
  const older = startWorkflow(forge, yaml, { runId: "501" });
  await (await older.job("deploy")).logged("lock", /waiting for production/);
  const newer = startWorkflow(forge, yaml, { runId: "502" });
  const superseded = await older.finished;
  succeed(superseded);
  const report = superseded.get("deploy");
  expect(report?.log("step-3")).toBe("superseded by ci-github-502-1-deploy\n");
  expect(report?.stage("lock", "post").summary).toContain("superseded by [#502]");
  succeed(await hold.finished);
  succeed(await newer.finished);
  const runs = journal(forge).map((line) => line.split(" ")[1]);
  expect([...new Set(runs)]).toEqual(["500", "502"]);
  await forge.isTidy(["production"]);
});

test("A database migration with the fence", async () => {
  const forge = await openForge();
  const title = "A database migration with the fence";
  const file = join(forge.directory, "shop.db");
  const script = recipe(title, "js");
  const run = startWorkflow(forge, recipe(title), {
    runId: "501",
    contexts: { vars: { DATABASE: file } },
    files: { "migrate.mjs": script },
    path: [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
  });
  succeed(await run.finished);
  const database = new DatabaseSync(file);
  const { fence } = database.prepare("SELECT fence FROM guard").get() as { fence: number };
  expect(fence).toBeGreaterThan(0);
  expect(database.prepare("SELECT count(*) AS rows FROM orders").get()).toEqual({ rows: 0 });
  database.close();
  // One that was granted the lock earlier comes too late.
  const late = join(forge.directory, "late.mjs");
  writeFileSync(late, script);
  const env = { DATABASE: file, HOLDFAST_FENCE: String(fence - 1) };
  const refused = await start(process.execPath, [late], { env }).ended;
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("a newer migration was here");
  await forge.isTidy(["database"]);
});

test("A monorepo with several keys", async () => {
  const forge = await openForge();
  const yaml = recipe("A monorepo with several keys");
  const runs = ["501", "502"].map((runId) => startWorkflow(forge, yaml, { runId }));
  for (const { finished } of runs) succeed(await finished);
  expect(journal(forge)).toHaveLength(8);
  expect(isOneAtATime(journal(forge))).toBe(true);
  await forge.isTidy(["web", "database", "api"]);
});

test("Guard a self-hosted machine", async () => {
  const scene = openScene();
  const directory = join(scene.directory, "locks");
  const yaml = recipe("Guard a self-hosted machine").replace("/var/lib/holdfast", directory);
  const runs = ["501", "502", "503"].map((runId) => startWorkflow(scene, yaml, { runId }));
  for (const { finished } of runs) succeed(await finished);
  const lines = journal(scene);
  expect(lines).toHaveLength(6);
  for (const device of ["0", "1"])
    expect(isOneAtATime(lines, new RegExp(`--device ${device}$`))).toBe(true);
  await scene.isTidy(["gpu"]);
});
