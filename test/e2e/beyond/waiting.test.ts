import { describe, expect, test } from "vitest";
import { saysNothing, succeeds } from "../jobs.ts";
import { gateStep } from "../runner/start-job.ts";
import { KEY, ownerOf } from "../scene.ts";
import { openAt, PLACES, verify } from "./places.ts";

/** What a job meets while it waits: a freeze, and a newer job that takes its place in line. */

describe.each(PLACES)("in a %s store", (place) => {
  test("a frozen key: who holds it goes on, who waits is told why, and gets it after the thaw", async () => {
    const scene = await openAt(place);
    const first = scene.job({ steps: [scene.lock(), gateStep("deploy"), verify] });
    const gate = await first.gate("deploy");
    const store = await scene.open();
    await store.freeze?.(KEY, { reason: "incident 42", duration: 3_600_000, owner: "ann" });
    const second = scene.job({ steps: [scene.lock(), verify] });
    const { line } = await second.logged("lock", /waiting for production/);
    expect(line).toMatch(
      /1st in line; frozen by ann: incident 42, until \S+Z; held by Deploy of acme\/\w+/,
    );
    gate.open();
    await succeeds(first);
    const refused = await scene.job({ steps: [scene.lock({ timeout: "0" })] }).finished;
    expect(refused.result).toBe("failure");
    expect(refused.annotations("error")[0]).toMatch(
      /not acquired at once: frozen by ann.*incident/,
    );
    expect(await scene.holders()).toEqual([]);
    await store.thaw?.(KEY, { owner: "ann" });
    const report = await succeeds(second);
    saysNothing(report);
    expect(report.stage("lock", "post").summary).toMatch(
      /\| While waiting \| frozen by ann: incident 42, until /,
    );
    await scene.isTidy();
  });

  test("line: newest: the older job that waits is superseded, and says by which run", async () => {
    const scene = await openAt(place);
    const line = "newest";
    const holder = scene.job({ steps: [scene.lock({ line }), gateStep("deploy"), verify] });
    const gate = await holder.gate("deploy");
    const required = "false";
    const older = scene.job({ runId: "812", steps: [scene.lock({ line, required })] });
    await older.logged("lock", /waiting for production/);
    const newer = scene.job({ runId: "813", steps: [scene.lock({ line }), verify] });
    const report = await older.finished;
    expect(report.result).toBe("success");
    expect(report.stage("lock").outputs).toMatchObject({
      acquired: "false",
      fence: "",
      "superseded-by": "ci-github-813-1-deploy",
    });
    expect(report.annotations("notice")[0]).toMatch(/superseded by ci-github-813-1-deploy \(http/);
    const { summary } = report.stage("lock", "post");
    expect(summary).toMatch(/\| Outcome \| superseded by \[#813\]\(https?:\S+\/runs\/813\) \|/);
    expect(summary).not.toMatch(/not acquired|failed/);
    expect(await scene.holders()).toEqual([ownerOf(holder)]);
    gate.open();
    await succeeds(holder);
    await succeeds(newer);
    await scene.isTidy();
  });
});

test("a superseded job fails where the lock is required, and its summary still says why", async () => {
  const scene = await openAt("file");
  const lock = scene.lock({ line: "newest" });
  const holder = scene.job({ steps: [lock, gateStep("deploy"), verify] });
  const gate = await holder.gate("deploy");
  const older = scene.job({ runId: "812", steps: [lock, verify] });
  await older.logged("lock", /waiting for production/);
  const newer = scene.job({ runId: "813", steps: [lock, verify] });
  const report = await older.finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")).toEqual([
    expect.stringMatching(/superseded by ci-github-813-1-deploy/),
  ]);
  expect(report.stage("lock", "post").summary).toContain("superseded by [#813]");
  gate.open();
  await succeeds(holder);
  await succeeds(newer);
  await scene.isTidy();
});
