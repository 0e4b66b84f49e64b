import { expect, test } from "vitest";
import { openStore } from "../../../src/stores/open.ts";
import { runnerCommands } from "../../helpers/cli/runners.ts";
import { openScene } from "../scene.ts";

/** What a stranger may write into a note or an owner, in the hope that the runner of another job obeys. */
const PAYLOADS = [
  "##[add-mask]e",
  "##[set-env name=PATH]/tmp",
  "##vso[task.setvariable variable=PATH]/tmp",
  "##teamcity[setParameter name='env.PATH' value='/tmp']",
  "x ##[error]y",
];

test("a holder's note and owner give no command to the runner of a job that waits for it", async () => {
  for (const payload of PAYLOADS) {
    const scene = openScene();
    const store = await openStore(scene.store);
    const holding = await store.claim({
      key: "production",
      owner: { id: `evil ${payload}`, metadata: { run_url: "https://example.test/runs/1" } },
      note: payload,
    });
    const job = scene.job({
      steps: [scene.lock({ timeout: "1s", required: "false" })],
    });
    const report = await job.finished;
    expect(report.result).toBe("success");
    expect(report.log("lock", "pre")).toContain("waiting for production");
    // The raw lines, without the commands that the stages themselves give.
    const raw = job.events.flatMap((event) => (event.event === "log" ? [event.raw] : []));
    const foreign = raw.map((line) => line.replace(/^::(?:notice|warning|error|debug)[^:]*::/, ""));
    expect(runnerCommands(foreign.join("\n"))).toEqual([]);
    await holding.release();
    await store.close();
  }
});
