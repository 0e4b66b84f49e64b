import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { until } from "../../helpers/waiting.ts";
import { openForge } from "../git/place.ts";
import { succeeds, waits } from "../jobs.ts";
import { gateStep } from "../runner/start-job.ts";
import { openScene } from "../scene.ts";
import { openAt, verify } from "./places.ts";

/** How a lock of a whole run ends when nobody releases it, and how a claim for one ends in line. */

const RUN = { runId: "8100", name: "build" };
const OF_RUN = { until: "run" };

describe("a cancelled run", () => {
  test.each(["the repository", "lock files"])(
    "post leaves the lock, and the forge's word that the run is over frees it: %s",
    async (where) => {
      const forge = await openForge();
      const store = where === "lock files" ? join(forge.directory, "shared") : "";
      const lock = (inputs: Record<string, string>) => forge.lock({ ...inputs, store });
      const job = forge.job({ ...RUN, steps: [lock(OF_RUN), gateStep("work")] });
      await job.gate("work");
      job.cancel();
      const report = await job.finished;
      expect(report.result).toBe("cancelled");
      expect(report.log("lock", "post")).toMatch(/stays with this run/);
      const refused = forge.job({ steps: [lock({ timeout: "0", required: "false" })] });
      expect((await refused.finished).stage("lock").outputs.acquired).toBe("false");
      forge.says(job, "completed", 60);
      forge.api.runs[8100] = "completed";
      const next = forge.job({ name: "next", steps: [lock({ timeout: "20s" }), verify] });
      await succeeds(next);
      await forge.isTidy();
    },
  );
});

describe("a claim for a run that waits", () => {
  /** A job that holds the lock, one of a run in line behind it, and a third one. */
  async function inLine() {
    const scene = openScene();
    const holder = scene.job({ steps: [scene.lock(), gateStep("deploy"), verify] });
    const gate = await holder.gate("deploy");
    const second = scene.job({ ...RUN, steps: [scene.lock(OF_RUN), gateStep("work")] });
    await waits(second);
    const third = scene.job({ steps: [scene.lock(), verify] });
    await waits(third);
    const end = async () => {
      gate.open();
      await succeeds(holder);
      await succeeds(third);
      await scene.isTidy();
    };
    return { scene, second, end };
  }

  test("cancelled, it leaves the line", async () => {
    const { second, end } = await inLine();
    second.cancel();
    const report = await second.finished;
    expect(report.result).toBe("cancelled");
    expect(report.log("lock", "pre")).toMatch(/cancelled while waiting; the line is left/);
    await end();
  });

  test("killed, it is passed over, and post tidies up", async () => {
    const { second, end } = await inLine();
    const { pid } = await second.started("lock", "pre");
    process.kill(pid, "SIGKILL");
    expect((await second.finished).result).toBe("failure");
    await end();
  });

  test("without its worker, it leaves the line by itself", async () => {
    const { scene, second, end } = await inLine();
    await second.crash();
    await until(async () => (await scene.inspect()).waiting === 1);
    await end();
  });
});

test("over tcp no lock can outlive its connection, and the step says what to use", async () => {
  const scene = await openAt("tcp");
  const report = await scene.job({ ...RUN, steps: [scene.lock(OF_RUN)] }).finished;
  expect(report.result).toBe("failure");
  expect(report.annotations("error")[0]).toMatch(/belongs to a whole run: use the http:/);
  await scene.isTidy();
});
