import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { isAlive } from "../../helpers/processes.ts";
import { until } from "../../helpers/waiting.ts";
import type { ActionStep } from "./job.ts";
import { parseCommand } from "./language/commands.ts";
import { parsePairs } from "./language/file-commands.ts";
import { gateStep, type JobOptions, type JobRun, startJob } from "./start-job.ts";

/** The stand-in has to be right before anything is shown with it: these are the facts it stands for. */

const SHORT = { terminate: 300, kill: 300, stdio: 500 };
const node = (script: string) => [process.execPath, "-e", script];
const append = (variable: string, text: string) =>
  `require("fs").appendFileSync(process.env.${variable}, ${JSON.stringify(text)});`;

/** An action of three scripts, in a folder of its own. */
function action(
  id: string,
  scripts: { pre?: string; main?: string; post?: string; preIf?: string },
) {
  const uses = join(temporaryDirectory(), id);
  mkdirSync(uses);
  const runs = ["runs:", "  using: node24", "  main: main.js", "  post: post.js"];
  if (scripts.pre !== undefined) runs.push("  pre: pre.js");
  if (scripts.preIf !== undefined) runs.push(`  pre-if: ${scripts.preIf}`);
  writeFileSync(join(uses, "action.yml"), `name: ${id}\n${runs.join("\n")}\n`);
  for (const stage of ["pre", "main", "post"] as const)
    writeFileSync(join(uses, `${stage}.js`), scripts[stage] ?? "");
  return { id, uses } satisfies ActionStep;
}

function run(options: Omit<JobOptions, "directory">): JobRun {
  return startJob({ directory: temporaryDirectory(), delays: SHORT, ...options });
}

const order = (job: { stages: readonly { step: string; stage: string }[] }) =>
  job.stages.map(({ step, stage }) => `${step} ${stage}`);

test("every pre comes first, then the steps, then the posts as a stack", async () => {
  const job = run({
    steps: [
      action("early", { pre: "", main: "" }),
      action("late", { main: "" }),
      { id: "build", run: node("") },
    ],
  });
  const report = await job.finished;
  expect(report.result).toBe("success");
  expect(order(report)).toEqual([
    "early pre",
    "early main",
    "late main",
    "build main",
    "late post",
    "early post",
  ]);
});

test("state, environment and PATH of pre reach what follows, its outputs do not", async () => {
  const say =
    "console.log(process.env.STATE_id, process.env.COLOUR, process.env.PATH, process.ppid)";
  const step = action("lock", {
    pre: [
      append("GITHUB_STATE", "id=7\n"),
      append("GITHUB_ENV", "COLOUR<<end\nblue\ngreen\nend\n"),
      append("GITHUB_PATH", "/first\n/second\n"),
      append("GITHUB_OUTPUT", "dropped=1\n"),
    ].join(""),
    main: `${append("GITHUB_OUTPUT", "kept=1\n")}${say}`,
    post: say,
  });
  const job = run({ path: "/base", steps: [step] });
  const report = await job.finished;
  expect(report.stage("lock", "pre").outputs).toEqual({});
  expect(report.stage("lock").outputs).toEqual({ kept: "1" });
  const seen = `7 blue\ngreen /second:/first:/base ${job.worker.pid}\n`;
  expect(report.log("lock")).toBe(seen + seen);
});

test("after a failure only those steps run that ask for it, and every post", async () => {
  const job = run({
    steps: [
      action("lock", { pre: "" }),
      { id: "fails", run: node("process.exit(3)") },
      { id: "next", run: node("") },
      { id: "regardless", if: "always()", run: node("") },
      { id: "repairs", if: "failure()", run: node("") },
    ],
  });
  const report = await job.finished;
  expect(report.result).toBe("failure");
  expect(report.skipped).toEqual(["next main"]);
  expect(order(report).slice(2)).toEqual([
    "fails main",
    "regardless main",
    "repairs main",
    "lock post",
  ]);
});

test("a failed pre skips main, is followed by post, and may be swallowed", async () => {
  const step = action("lock", { pre: "process.exit(1)" });
  const report = await run({ steps: [step] }).finished;
  expect([report.result, order(report)]).toEqual(["failure", ["lock pre", "lock post"]]);
  const swallowed = await run({ steps: [{ ...step, continueOnError: true }] }).finished;
  expect(swallowed.result).toBe("success");
  expect(order(swallowed)).toEqual(["lock pre", "lock main", "lock post"]);
});

test("a pre whose condition does not hold runs neither, nor does its post when main is skipped", async () => {
  const broken = action("broken", { pre: "process.exit(1)" });
  const lock = action("lock", { pre: "", preIf: "success()" });
  const report = await run({ steps: [broken, lock] }).finished;
  expect(order(report)).toEqual(["broken pre", "broken post"]);
});

test("a local action has no pre", async () => {
  const report = await run({ steps: [{ ...action("lock", { pre: "" }), local: true }] }).finished;
  expect(order(report)).toEqual(["lock main", "lock post"]);
});

test("a cancel goes to the running process alone: SIGINT, SIGTERM, SIGKILL", async () => {
  const stubborn = `
    const { spawn } = require("child_process");
    for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => console.log("got " + name));
    const child = spawn(process.execPath, ["-e",
      'process.on("SIGINT", () => console.log("child hit")); setInterval(() => {}, 1e6); console.log("up")'],
      { stdio: "inherit" });
    setInterval(() => {}, 1e6);`;
  const job = run({
    delays: { ...SHORT, terminate: 1_000, kill: 1_000 },
    steps: [
      action("lock", { pre: "" }),
      { id: "stubborn", run: node(stubborn) },
      gateStep("after"),
    ],
  });
  await job.logged("stubborn", /^up$/);
  job.cancel();
  const report = await job.finished;
  expect(report.result).toBe("cancelled");
  const end = report.stage("stubborn");
  expect([end.result, end.signal, end.stdioHeld]).toEqual(["cancelled", "SIGKILL", true]);
  expect(report.log("stubborn")).toBe("up\ngot SIGINT\ngot SIGTERM\n");
  expect(report.skipped).toEqual(["after main"]);
  expect(order(report).at(-1)).toBe("lock post");
  // The grandchild was nobody's to signal, but it carries the tracking id.
  expect(report.swept).toHaveLength(1);
});

test("an interrupted step counts as cancelled whatever its exit code", async () => {
  const polite =
    'process.on("SIGINT", () => process.exit(0)); setInterval(() => {}, 1e6); console.log("up")';
  const job = run({ steps: [{ id: "polite", run: node(polite) }] });
  await job.logged("polite", /up/);
  job.cancel();
  const report = await job.finished;
  expect(report.stage("polite")).toMatchObject({ code: 0, result: "cancelled" });
  expect(report.result).toBe("cancelled");
});

test("a step under always() is not signalled when the job is cancelled", async () => {
  const job = run({ steps: [gateStep("stays", { if: "always()" }), gateStep("after")] });
  const gate = await job.gate("stays");
  job.cancel();
  await until(() => job.events.some(({ event }) => event === "cancelling"));
  gate.open();
  const report = await job.finished;
  expect(report.stage("stays")).toMatchObject({ code: 0, signal: null, result: "success" });
  expect(job.events.some(({ event }) => event === "signal")).toBe(false);
  expect(report.skipped).toEqual(["after main"]);
});

test("a job that takes too long is cancelled, a step that does fails", async () => {
  const job = await run({ timeout: 1, steps: [gateStep("deploy")] }).finished;
  expect(job.result).toBe("cancelled");
  const step = await run({ steps: [gateStep("deploy", { timeout: 1 })] }).finished;
  expect(step.result).toBe("failure");
});

test("what a killed stage had written to its files counts", async () => {
  const step = action("lock", {
    pre: `${append("GITHUB_STATE", "id=7\n")} process.kill(process.pid, "SIGKILL")`,
    post: "console.log(process.env.STATE_id)",
  });
  const report = await run({ steps: [step] }).finished;
  expect(report.stage("lock", "pre").signal).toBe("SIGKILL");
  expect(report.log("lock", "post")).toBe("7\n");
});

test("the sweep kills what carries the tracking id, and nothing else", async () => {
  const spawnBoth = `
    const { spawn } = require("child_process");
    const { RUNNER_TRACKING_ID, ...rest } = process.env;
    for (const env of [process.env, rest]) {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1e6)"],
        { detached: true, stdio: "ignore", env });
      console.log(child.pid);
      child.unref();
    }`;
  const job = run({ steps: [{ id: "spawns", run: node(spawnBoth) }] });
  const report = await job.finished;
  const [marked, unmarked] = report.log().trim().split("\n").map(Number) as [number, number];
  try {
    expect(report.swept.map(({ pid }) => pid)).toEqual([marked]);
    await until(() => !isAlive(marked));
    expect(isAlive(unmarked)).toBe(true);
  } finally {
    process.kill(unmarked, "SIGKILL");
  }
});

test("a crash of the worker leaves its stages where they are, and runs nothing more", async () => {
  const job = run({ steps: [action("lock", { pre: "" }), gateStep("deploy")] });
  const gate = await job.gate("deploy");
  await job.crash();
  const report = await job.finished;
  expect(report.result).toBeNull();
  expect(isAlive(gate.pid)).toBe(true);
  expect(order(report)).toEqual(["lock pre", "lock main"]);
});

test("RUNNER_TEMP is emptied when a job starts", async () => {
  const directory = temporaryDirectory();
  const options = { directory, delays: SHORT };
  const leave = 'require("fs").writeFileSync(process.env.RUNNER_TEMP + "/left", "")';
  await startJob({ ...options, steps: [{ id: "leaves", run: node(leave) }] }).finished;
  expect(existsSync(join(directory, "_temp/left"))).toBe(true);
  await startJob({ ...options, steps: [] }).finished;
  expect(existsSync(join(directory, "_temp/left"))).toBe(false);
});

test("workflow commands and command files are read as the runner reads them", () => {
  expect(parseCommand("::error title=Lock%3A lost,line=3::50%25 of it%0Ais gone: see")).toEqual({
    kind: "annotation",
    annotation: {
      level: "error",
      message: "50% of it\nis gone: see",
      properties: { title: "Lock: lost", line: "3" },
    },
  });
  expect(parseCommand("::add-mask::secret")).toEqual({ kind: "mask", value: "secret" });
  expect(parseCommand("std::cout::x")).toBeNull();
  expect(parsePairs("a=1\nb<<x\ntwo\n\nlines=3\nx\nc=\na=2\n")).toEqual({
    a: "2",
    b: "two\n\nlines=3",
    c: "",
  });
  expect(() => parsePairs("b<<x\nnever ends\n")).toThrow();
});
