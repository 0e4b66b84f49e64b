import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gateStep, type JobRun } from "../runner/start-job.ts";
import { trackedProcesses } from "../runner/tracking.ts";
import { filesIn, leaseDirectoryOf, leaseOf, openScene, type Scene } from "../scene.ts";

/** The token is the lease file's and the keeper's alone; nobody else's files and outputs hold it. */

const SERVER_SECRET = "s3cr3t-of-the-lock-server";

/** Every file below the scene that contains the text, by its path. */
function filesWith(scene: Scene, text: string): string[] {
  return filesIn(scene.directory).filter((name) => {
    const path = join(scene.directory, name);
    return lstatSync(path).isFile() && readFileSync(path).includes(text);
  });
}

/** Every process of this machine whose command line contains the text. */
function commandLinesWith(text: string): string[] {
  return readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`).includes(text);
    } catch {
      return false;
    }
  });
}

/** All that the runner saw and keeps: logs before masking, outputs, state, environment, summaries. */
function seenByRunner(job: JobRun): string {
  return job.events.map((event) => JSON.stringify(event)).join("\n");
}

test("a lease's token is in the lease file and nowhere else", async () => {
  const scene = openScene();
  const show = {
    id: "show",
    run: [process.execPath, "-p", "JSON.stringify(process.env)"],
  };
  const commands = ["verify", "status production", "list"].map((line, index) => ({
    id: `command-${index}`,
    run: ["holdfast", ...line.split(" "), "--json"],
  }));
  const job = scene.job({ steps: [scene.lock(), show, ...commands, gateStep("deploy")] });
  const gate = await job.gate("deploy");
  const { token, keeper, socket } = leaseOf(job);
  expect(token).toMatch(/^[0-9a-f]{32}$/);

  const [leaseFile, ...others] = filesWith(scene, token);
  expect(others).toEqual([]);
  expect(join(scene.directory, leaseFile as string)).toContain(leaseDirectoryOf(job));
  const mode = (path: string) => lstatSync(path).mode & 0o777;
  expect(mode(join(scene.directory, leaseFile as string))).toBe(0o600);
  expect(mode(leaseDirectoryOf(job))).toBe(0o700);
  expect(mode(socket)).toBe(0o600);
  expect(commandLinesWith(token)).toEqual([]);
  for (const { pid } of trackedProcesses(job.description.trackingId))
    expect(readFileSync(`/proc/${pid}/environ`, "utf8")).not.toContain(token);

  // Without its keeper post has the most to tell: the keeper's log, an annotation, the summary.
  process.kill(keeper.pid, "SIGKILL");
  gate.open();
  const report = await job.finished;
  expect(report.stage("command-0").code).toBe(0);
  expect(report.log("lock", "post")).toMatch(/keeper: /);
  expect(seenByRunner(job)).not.toContain(token);
  expect(filesWith(scene, token)).toEqual([]);
  await scene.isTidy();
});

test("a server's secret is masked and in no process list, state or environment file", async () => {
  const scene = openScene();
  const job = scene.job({
    steps: [
      scene.lock({ token: SERVER_SECRET }),
      { id: "leaks", run: [process.execPath, "-p", JSON.stringify(`it is ${SERVER_SECRET}`)] },
      gateStep("deploy"),
    ],
  });
  const gate = await job.gate("deploy");
  // The job's own description and the step that leaks it on purpose name the secret, nobody else.
  const holders = filesWith(scene, SERVER_SECRET).filter((name) => !name.endsWith("job.json"));
  for (const name of holders) expect(name).toMatch(/_temp\/holdfast\/[^/]+\.json$/);
  expect(commandLinesWith(SERVER_SECRET)).toEqual([]);
  gate.open();
  const report = await job.finished;
  expect(report.result).toBe("success");
  expect(report.log("leaks")).toBe("it is ***\n");
  for (const end of report.stages) expect(JSON.stringify(end)).not.toContain(SERVER_SECRET);
  expect(report.log("lock")).not.toContain(SERVER_SECRET);
  await scene.isTidy();
});

test("a keeper holds none of a stage's inputs and outputs, waiting or holding", async () => {
  const scene = openScene();
  const holder = scene.job({ steps: [scene.lock(), gateStep("deploy")] });
  const gate = await holder.gate("deploy");
  const waiter = scene.job({ steps: [scene.lock()] });
  await waiter.logged("lock", /waiting for production/);
  const { pid } = await waiter.started("lock", "pre");
  const stage = descriptors(pid, ["0", "1", "2"]);
  const keeper = trackedProcesses(waiter.description.trackingId).find((each) => each.pid !== pid);
  expect(keeper?.command).toMatch(/keeper/);
  expect(stage.filter((name) => descriptors(keeper?.pid ?? 0).includes(name))).toEqual([]);

  // Once it holds, no pipe at all leads out of it: the process that started it is long gone.
  const held = descriptors(leaseOf(holder).keeper.pid, ["0", "1", "2"]);
  expect(held.filter((name) => isStillOpenElsewhere(name, leaseOf(holder).keeper.pid))).toEqual([]);
  gate.open();
  for (const job of [holder, waiter]) expect((await job.finished).result).toBe("success");
  await scene.isTidy();
});

/** What a process has open, by the kernel's names; /dev/null is everybody's. */
function descriptors(pid: number, only?: readonly string[]): string[] {
  return (only ?? readdirSync(`/proc/${pid}/fd`)).flatMap((name) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${name}`);
      return target === "/dev/null" ? [] : [target];
    } catch {
      return [];
    }
  });
}

function isStillOpenElsewhere(target: string, except: number): boolean {
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name) || Number(name) === except) return false;
    try {
      return descriptors(Number(name)).includes(target);
    } catch {
      return false;
    }
  });
}
