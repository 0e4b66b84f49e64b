import { describe, expect, test } from "vitest";
import { until } from "../../helpers/waiting.ts";
import { saysLostAndGoesOn, saysNothing, succeeds, waits } from "../jobs.ts";
import { gateStep, type JobReport } from "../runner/start-job.ts";
import { trackedProcesses } from "../runner/tracking.ts";
import { KEY, ownerOf } from "../scene.ts";
import { type Beyond, openAt, PLACES, verify } from "./places.ts";

/** A lock that belongs to a whole run: it outlives the job, and the run's other jobs share it. */

const RUN = { runId: "8100" };
const OF_RUN = { until: "run" };

const fenceOf = (report: JobReport) => Number(report.stage("lock").outputs.fence);

/** A job of the run, with the lock for the whole of it. */
function jobOf(scene: Beyond, name: string, more: Parameters<Beyond["job"]>[0] = { steps: [] }) {
  const steps = more.steps.length > 0 ? more.steps : [verify];
  return scene.job({ ...RUN, ...more, name, steps: [scene.lock(OF_RUN), ...steps] });
}

function releaseJob(scene: Beyond, more: { runId?: string; attempt?: string } = RUN) {
  return scene.job({ ...more, name: "release", steps: [scene.lock({ mode: "release" })] });
}

describe.each(PLACES)("until: run, in a %s store", (place) => {
  test("the run's jobs share it with one fence, others wait, and mode: release ends it", async () => {
    const scene = await openAt(place);
    const first = jobOf(scene, "build", { steps: [gateStep("work"), verify] });
    const gate = await first.gate("work");
    // Nobody has to be there for it.
    expect(
      trackedProcesses(first.description.trackingId).filter(({ command }) =>
        /holdfast-keeper/.test(command),
      ),
    ).toEqual([]);
    gate.open();
    const built = await succeeds(first);
    saysNothing(built);
    expect(built.log("lock", "pre")).toMatch(
      /this run holds production, until \S+Z at the latest, fence \d+/,
    );
    expect(built.log("lock", "main")).toMatch(/this run holds production, since/);
    expect(built.log("lock", "post")).toMatch(/production stays with this run, until mode: rel/);
    expect(built.stage("lock", "post").summary).toMatch(/\| Outcome \| stays with the run, until/);

    const other = scene.job({ steps: [scene.lock(), verify], name: "other" });
    const line = await other.logged("lock", /waiting for production/);
    expect(line.line).toMatch(/ci-github-8100-1-build\) for .*, for the whole run, until \S+Z/);

    const deployed = await succeeds(jobOf(scene, "deploy"));
    expect(fenceOf(deployed)).toBe(fenceOf(built));
    expect(Number(deployed.stage("lock").outputs.waited)).toBeLessThan(60);
    expect(await scene.inspect()).toMatchObject({
      waiting: 1,
      holders: [{ run: { id: expect.stringMatching(/acme\/\w+\/runs\/8100\/attempts\/1$/) } }],
    });

    const stranger = await releaseJob(scene, { runId: "8200" }).finished;
    expect(stranger.result).toBe("failure");
    expect(stranger.annotations("error")).toEqual([
      expect.stringMatching(
        /^"production" is held by Deploy of .*job build.* \(ci-github-8100-1-build\), not by this run: it was not released\.$/,
      ),
    ]);
    const released = await releaseJob(scene).finished;
    expect(released.result).toBe("success");
    expect(released.log("lock", "main")).toMatch(/production released for the whole run/);
    expect(released.log("lock", "post")).toBe("");

    expect(fenceOf(await succeeds(other))).toBeGreaterThan(fenceOf(built));
    const again = await releaseJob(scene).finished;
    expect(again.result).toBe("success");
    expect(again.log("lock", "main")).toMatch(/production is free already/);
    await scene.isTidy();
  });

  test("a failed first job leaves it to the run; a re-run is another run, and waits", async () => {
    const scene = await openAt(place);
    const failed = jobOf(scene, "build", { steps: [gateStep("work", { code: 1 })] });
    (await failed.gate("work")).open();
    const report = await failed.finished;
    expect(report.result).toBe("failure");
    expect(report.log("lock", "post")).toMatch(/stays with this run/);
    const rerun = jobOf(scene, "build", { attempt: "2", steps: [verify] });
    await waits(rerun);
    const cleanUp = await releaseJob(scene).finished;
    expect(cleanUp.result).toBe("success");
    expect(fenceOf(await succeeds(rerun))).toBeGreaterThan(fenceOf(report));
    expect((await releaseJob(scene, { ...RUN, attempt: "2" }).finished).result).toBe("success");
    await scene.isTidy();
  });

  test("the legs of a matrix hold it at the same time, and another run does not", async () => {
    const scene = await openAt(place);
    const legs = [0, 1].map((index) =>
      jobOf(scene, "test", {
        steps: [gateStep("work"), verify],
        leg: { matrix: { index }, index, total: 2 },
      }),
    );
    const gates = await Promise.all(legs.map((leg) => leg.gate("work")));
    const other = scene.job({ name: "other", steps: [scene.lock({ timeout: "0" })] });
    const refused = await other.finished;
    expect(refused.result).toBe("failure");
    expect(refused.annotations("error")[0]).toMatch(/^"production" was not acquired at once: held/);
    for (const gate of gates) gate.open();
    const [one, two] = await Promise.all(legs.map(succeeds));
    expect(fenceOf(one as JobReport)).toBe(fenceOf(two as JobReport));
    expect((await releaseJob(scene).finished).result).toBe("success");
    await scene.isTidy();
  });

  test("released in the same job, it is silent in the end; broken, it says so", async () => {
    const scene = await openAt(place);
    const release = { ...scene.lock({ mode: "release" }), id: "release" };
    const early = await jobOf(scene, "build", { steps: [release] }).finished;
    expect(early.result).toBe("success");
    expect(early.log("lock", "post")).toBe("");
    expect(early.stage("lock", "post").summary).toContain("| Outcome | released early |");

    const job = jobOf(scene, "deploy", { steps: [gateStep("work")] });
    const gate = await job.gate("work");
    const store = await scene.open();
    await store.break(KEY, { reason: "a test", owner: "ops" });
    gate.open();
    saysLostAndGoesOn(await job.finished, '"production" was lost', "it was broken", "Nobody holds");
    await scene.isTidy();
  });

  // On a document store others wait a minute longer, since their clocks may differ.
  test.skipIf(place === "git")("its ttl is a bound that nobody moves", async () => {
    const scene = await openAt(place);
    const lock = scene.lock({ ...OF_RUN, ttl: "3s" });
    const job = scene.job({ ...RUN, name: "build", steps: [lock, gateStep("work")] });
    const gate = await job.gate("work");
    // A server frees it by itself; a lock file waits for the next claim.
    await until(async () => {
      const [holder] = (await scene.inspect()).holders;
      return holder === undefined || holder.reclaimable === "LOCK_EXPIRED";
    });
    const other = scene.job({ name: "other", steps: [scene.lock(), gateStep("work")] });
    const taken = await other.gate("work");
    gate.open();
    const heir = ["now held by Deploy of ", `(${ownerOf(other)}).`];
    saysLostAndGoesOn(await job.finished, "its time was over", ...heir);
    taken.open();
    expect((await other.finished).result).toBe("success");
    await scene.isTidy();
  });
});
