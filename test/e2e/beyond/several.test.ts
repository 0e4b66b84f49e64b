import { describe, expect, test } from "vitest";
import {
  keeperOf,
  killKeeper,
  saysLost,
  saysLostAndGoesOn,
  saysNothing,
  succeeds,
} from "../jobs.ts";
import { gateStep } from "../runner/start-job.ts";
import { trackedProcesses } from "../runner/tracking.ts";
import { leaseOf, openScene, ownerOf } from "../scene.ts";
import { openAt, type Place, verify } from "./places.ts";

/** Several keys in one step: all of them or none, one keeper, one lease. */

const KEYS = ["web", "api", "db"];
const key = "\n  web \n\napi\nweb\ndb\n";
const PLACES: readonly Place[] = ["file", "git", "http", "tcp"];

describe.each(PLACES)("several keys, in a %s store", (place) => {
  test("are held together by one keeper and with one lease, and released together", async () => {
    const scene = await openAt(place);
    const job = scene.job({ steps: [scene.lock({ key }), gateStep("deploy"), verify] });
    const gate = await job.gate("deploy");
    for (const each of KEYS) expect(await scene.holders(each)).toEqual([ownerOf(job)]);
    const { pid } = leaseOf(job).keeper;
    expect(pid).toBe(await keeperOf(job));
    const keepers = trackedProcesses(job.description.trackingId).filter(({ command }) =>
      /holdfast-keeper/.test(command),
    );
    expect(keepers).toHaveLength(1);
    gate.open();
    const report = await succeeds(job);
    saysNothing(report);
    const { outputs } = report.stage("lock");
    expect(outputs).toMatchObject({ acquired: "true", key: "web", slot: "0" });
    const fences = JSON.parse(outputs.fences ?? "");
    expect(Object.keys(fences)).toEqual(KEYS);
    expect(String(fences.web)).toBe(outputs.fence);
    expect(report.stage("lock", "pre").env).toMatchObject({
      HOLDFAST_KEY: "web",
      HOLDFAST_FENCE: outputs.fence,
      HOLDFAST_SLOT: "0",
    });
    expect(report.log("lock", "post")).toMatch(/holdfast: web, api and db released after/);
    expect(report.stage("lock", "post").summary).toContain("| Keys | `web`, `api`, `db` |");
    await scene.isTidy(KEYS);
  });

  test.skipIf(place === "git" || place === "http")(
    "one is in use: the line says which, and none stays held when the time is over",
    async () => {
      const scene = await openAt(place);
      const other = scene.job({ steps: [scene.lock({ key: "db" }), gateStep("deploy"), verify] });
      const gate = await other.gate("deploy");
      const inputs = { key, timeout: "3s", required: "false" };
      const job = scene.job({ steps: [scene.lock(inputs)] });
      await job.logged("lock", /waiting for db: 1st in line; held by/);
      const report = await job.finished;
      expect(report.result).toBe("success");
      expect(report.stage("lock").outputs).toMatchObject({
        acquired: "false",
        fences: "",
        slot: "",
      });
      expect(report.annotations("notice")[0]).toMatch(
        /"db" was not acquired.*This claim holds none of them/,
      );
      expect(await scene.holders("api")).toEqual([]);
      gate.open();
      await succeeds(other);
      await scene.isTidy(KEYS);
    },
  );

  // The wire has no word to break a lock, and in a repository a loss is noticed by polling.
  test.skipIf(place === "git" || place === "tcp")(
    "one is lost: it is named, and the others stay held until the job's end",
    async () => {
      const scene = await openAt(place);
      const inputs = { key, "dead-after": "3s" };
      const job = scene.job({ steps: [scene.lock(inputs), gateStep("deploy"), verify] });
      const gate = await job.gate("deploy");
      const store = await scene.open();
      await store.break("api", { reason: "a test", owner: "ops" });
      const thief = scene.job({ steps: [scene.lock({ key: "api" }), gateStep("deploy")] });
      const taken = await thief.gate("deploy");
      await expect.poll(() => leaseOf(job).state, { timeout: 30_000 }).toBe("lost");
      for (const each of ["web", "db"]) expect(await scene.holders(each)).toEqual([ownerOf(job)]);
      gate.open();
      const report = await job.finished;
      expect(report.stage("verify").code).toBe(1);
      const heir = ["now held by Deploy of ", `(${ownerOf(thief)}).`];
      saysLostAndGoesOn(report, 'The lock "api" was lost', ...heir);
      for (const each of ["web", "db"]) expect(await scene.holders(each)).toEqual([]);
      taken.open();
      expect((await thief.finished).result).toBe("success");
      await scene.isTidy(KEYS);
    },
  );
});

test("a keeper of several keys that was killed: nothing stays held, and the loss is told", async () => {
  const scene = openScene();
  const job = scene.job({ steps: [scene.lock({ key }), gateStep("deploy"), verify] });
  const gate = await job.gate("deploy");
  await killKeeper(job);
  const next = scene.job({ steps: [scene.lock({ key: "db\napi" }), gateStep("deploy"), verify] });
  const taken = await next.gate("deploy");
  gate.open();
  const report = await job.finished;
  expect(report.stage("verify").code).toBe(1);
  saysLost(report, "now held by Deploy of ", `(${ownerOf(next)}).`);
  taken.open();
  await succeeds(next);
  await scene.isTidy(KEYS);
});

test("a key from a commit message brings further keys with its lines: the log says which", async () => {
  const scene = openScene();
  const message = "fix the build\nproduction";
  const contexts = { inputs: { message } };
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow.
  const lock = scene.lock({ key: "${{ inputs.message }}" });
  const job = scene.job({ contexts, steps: [lock, gateStep("deploy")] });
  const gate = await job.gate("deploy");
  expect(await scene.holders("production")).toEqual([ownerOf(job)]);
  gate.open();
  const log = (await job.finished).log("lock", "pre");
  expect(log).toContain(
    '2 keys: "fix the build", "production" (each line of the input key is one)',
  );
  // As JSON the text is one line, whatever is in it.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow.
  const quoted = scene.lock({ key: "${{ toJSON(inputs.message) }}" });
  const safe = await scene.job({ contexts, steps: [quoted] }).finished;
  expect(safe.stage("lock").outputs.key).toBe(JSON.stringify(message));
  expect(Object.keys(JSON.parse(safe.stage("lock").outputs.fences ?? "")).length).toBe(1);
});
