import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { temporaryDirectory } from "../../helpers/directories.ts";
import { writeGateFile } from "../../helpers/github/gated.ts";
import { GitHubStandIn, type StandInJob } from "../../helpers/github/stand-in.ts";
import { startProcess } from "../../helpers/server/server.ts";
import { until } from "../../helpers/waiting.ts";
import { saysNothing, succeeds, verify } from "../jobs.ts";
import { gateStep, type JobRun } from "../runner/start-job.ts";
import { openScene, type Scene } from "../scene.ts";

const REPOSITORY = "acme/app";
const DEPLOY = { name: "deploy", environment: "production", takes: 1 };

let github: GitHubStandIn;
afterEach(() => github.close());

/** A scene whose server is the gate. Each job that GitHub lets in has a runner, with the action in these steps. */
async function openGated(inputs: Record<string, string>) {
  const runners: JobRun[] = [];
  let scene: Scene | null = null;
  let port = 0;
  github = new GitHubStandIn({
    hook: () => port,
    work: async ({ run }: StandInJob) => {
      const web = github.origin;
      const runner = (scene as Scene).job({
        runId: String(run.id),
        repository: REPOSITORY,
        env: { GITHUB_SERVER_URL: web, GITHUB_API_URL: web },
        steps: [(scene as Scene).lock(inputs), gateStep("work"), verify],
      });
      runners.push(runner);
      await runner.finished;
    },
  });
  const directory = temporaryDirectory();
  const rules = { "acme/*:production": { key: "production" } };
  const file = writeGateFile(directory, github, await github.open(), rules);
  const data = join(directory, "locks.db");
  const server = await startProcess(["--http-port", "0", "--data", data, "--github-app", file]);
  port = server.httpPort as number;
  scene = openScene({ store: `http://127.0.0.1:${port}` });
  const begun = async (number: number): Promise<JobRun> => {
    await until(() => runners.length > number);
    return runners[number] as JobRun;
  };
  return { scene, begun, runners };
}

test.each<[string, Record<string, string>]>([
  ["before the first step", {}],
  ["at the step", { stage: "main" }],
  ["in line while it builds", { stage: "line" }],
  ["for the whole run", { until: "run" }],
])(
  "a job that the gate let in has the lock of its run, %s, and the next run no runner until it is over",
  async (_, inputs) => {
    const { scene, begun, runners } = await openGated(inputs);
    const first = github.push(REPOSITORY, [DEPLOY]);
    const one = await begun(0);
    const gate = await one.gate("work");
    const [held] = (await scene.inspect()).holders;
    expect(github.decisions[0]?.comment).toContain(`fence ${held?.fence}`);
    const second = github.push(REPOSITORY, [DEPLOY]);
    const waiting = second.jobs[0]?.deployment;
    await until(() => (waiting?.comments.length ?? 0) > 0);
    expect(waiting?.comments[0]).toContain(`actions/runs/${first.id}`);
    expect(runners).toHaveLength(1);
    gate.open();
    const report = await succeeds(one);
    saysNothing(report);
    expect(report.stage("lock", "main").outputs.fence).toBe(String(held?.fence));
    const two = await begun(1);
    (await two.gate("work")).open();
    await succeeds(two);
    await until(() => second.status === "completed");
    await until(async () => (await scene.holders()).length === 0);
    expect(github.decisions.map(({ run, state }) => [run, state])).toEqual([
      [first.id, "approved"],
      [second.id, "approved"],
    ]);
    await scene.isTidy();
  },
);
