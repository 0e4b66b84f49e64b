import { createPrivateKey } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Questions } from "../../../../src/server/gate/ask.ts";
import type { CourseContext } from "../../../../src/server/gate/context.ts";
import { GitHub } from "../../../../src/server/gate/github.ts";
import { Life, whereabouts } from "../../../../src/server/gate/life.ts";
import { jobOf } from "../../../../src/server/identity/owner.ts";
import type { JobIdentity } from "../../../../src/server/identity/policy.ts";
import { LockTable } from "../../../../src/server/table/table.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { writeGateFile } from "../../../helpers/github/gated.ts";
import {
  APP_ID,
  GitHubStandIn,
  type StandInJob,
  type StandInRun,
} from "../../../helpers/github/stand-in.ts";
import { githubClaims, LocalIssuer } from "../../../helpers/identity/issuer.ts";
import { SessionClient } from "../../../helpers/server/http-client.ts";
import { adopt, startHttp } from "../../../helpers/server/http-server.ts";
import { until } from "../../../helpers/waiting.ts";

const REPOSITORY = "acme/app";
const GITHUB = "https://token.actions.githubusercontent.com";

let github: GitHubStandIn;
let api: number;
let hook = 0;
let run: StandInRun;
let job: StandInJob;

beforeEach(async () => {
  github = new GitHubStandIn({ hook: () => hook });
  api = await github.open();
  run = github.push(REPOSITORY, [{ name: "build", environment: null, takes: 100_000 }]);
  [job] = run.jobs as [StandInJob];
});
afterEach(() => github.close());

function finish(): void {
  github.cancel(run);
  // What it says is long over by its own clock.
  job.endedAt = Date.now() - 31_000;
}

/** Who holds a lock, and is asked about by hand. Times are the table's and the question's alone. */
function holding(of: "run" | "job", attempt = 1) {
  const web = "https://github.com";
  const whole = `${GITHUB}/${REPOSITORY}/runs/${run.id}/attempts/${attempt}`;
  const name = of === "run" ? whole : `${whole}/jobs/${job.id}`;
  let now = 0;
  const clock = { now: () => Date.now(), monotonic: () => now };
  const table = new LockTable({
    clock,
    makeToken: (fence) => String(fence),
    maxLocks: 0,
    maxWaiters: 0,
  });
  const party = table.admit({ granted() {}, ended() {} }, "digest");
  party.job = `${whole}/jobs/${job.id}`;
  const privateKey = createPrivateKey(github.privateKey);
  const config = { api: `http://127.0.0.1:${api}`, appId: APP_ID, privateKey };
  const client = new GitHub(config, clock, "1");
  const context = {
    table,
    clock,
    log: { write() {}, limited() {} },
    questions: new Questions(client),
    isStopped: false,
    githubNow: () => client.now(),
    askEvery: () => 60_000,
  } as unknown as CourseContext;
  const where = whereabouts(web, name);
  if (where === null) throw new Error(name);
  const life = new Life(name, where, context);
  for (const key of ["one", "two"])
    table.claim(party, key, 1, 3_600_000, { run: of === "run" ? whole : null });
  // Neither the lock of another run nor one that nobody knows a job of is touched.
  const other = table.admit({ granted() {}, ended() {} }, "other");
  table.claim(other, "three", 1, 3_600_000, { run: of === "run" ? `${whole}0` : null });
  return {
    life,
    /** How many of the two locks are still held, after a question, and when it is asked next. */
    ask: async () => {
      await life.work();
      return table.held - 1;
    },
    pass: (milliseconds: number) => {
      now += milliseconds;
      return life.isDue(now);
    },
    table,
  };
}

describe.each(["run", "job"] as const)("a %s that holds locks outside the gate", (of) => {
  it("is asked about once a minute, and its locks are released once GitHub says that it is over", async () => {
    const { ask, pass, table } = holding(of);
    expect(pass(59_999)).toBe(false);
    expect(pass(1)).toBe(true);
    expect(await ask()).toBe(2);
    expect(pass(59_999)).toBe(false);
    finish();
    expect(await ask()).toBe(0);
    expect(table.find("three")?.holders.size).toBe(1);
    const asked = github.asked.filter((each) => each.includes("installation"));
    // Once for the repository, and once for its token.
    expect(asked).toHaveLength(2);
  });

  it.each([301, 403, 404, 429, 500])("keeps them whatever else it says: %i", async (status) => {
    const { ask } = holding(of);
    finish();
    github.misbehave = (_, path) => (path.includes("/actions/") ? status : null);
    expect(await ask()).toBe(2);
    if (status === 429) return;
    github.misbehave = null;
    expect(await ask()).toBe(0);
  });

  it("keeps them where the App is not installed, or no answer comes", async () => {
    const { ask } = holding(of);
    finish();
    github.installed = false;
    expect(await ask()).toBe(2);
    github.installed = true;
    github.misbehave = () => "lost";
    expect(await ask()).toBe(2);
    github.misbehave = null;
    expect(await ask()).toBe(0);
  });

  it("keeps them where the answer is about another attempt, or is none", async () => {
    finish();
    expect(await holding(of, 2).ask()).toBe(2);
    github.amend = () => ({ run_attempt: 2 });
    expect(await holding(of).ask()).toBe(2);
    github.amend = () => ({ id: 1, run_id: 1 });
    expect(await holding(of).ask()).toBe(2);
    github.amend = () => ({ status: null });
    expect(await holding(of).ask()).toBe(2);
    github.amend = null;
    expect(await holding(of).ask()).toBe(0);
  });
});

it("a new attempt ends the earlier one, whose lock is released, and not its own", async () => {
  finish();
  github.rerun(run);
  const [first, second] = [holding("run", 1), holding("run", 2)];
  expect(await first.ask()).toBe(0);
  expect(await second.ask()).toBe(2);
});

it("a job's locks stay for 30 s after its end, and are released no later than then", async () => {
  const { ask, pass } = holding("job");
  github.cancel(run);
  job.endedAt = Date.now() - 10_000;
  expect(await ask()).toBe(2);
  expect(pass(15_000)).toBe(false);
  expect(pass(7_000)).toBe(true);
  job.endedAt = null;
  expect(await ask()).toBe(2);
  job.endedAt = Date.now() - 40_000;
  github.amend = () => ({ check_run_url: `${github.origin}/repos/${REPOSITORY}/check-runs/5` });
  expect(await ask()).toBe(2);
  github.amend = null;
  expect(await ask()).toBe(0);
});

it("only jobs of this GitHub are asked about, and only by names that lead nowhere else", () => {
  const tail = "acme/app/runs/7/attempts/2";
  const found = { repository: "acme/app", run: 7, attempt: 2, job: null };
  const web = "https://github.com";
  expect(whereabouts(web, `${GITHUB}/${tail}`)).toEqual(found);
  expect(whereabouts(web, `${GITHUB}/acme/${tail}/jobs/9`)).toEqual({ ...found, job: 9 });
  const own = "https://git.acme.dev";
  expect(whereabouts(own, `${own}/_services/token/${tail}`)).toEqual(found);
  const strangers = [
    `github.com/${tail}`,
    `${GITHUB}.evil.example/${tail}`,
    `https://gitlab.com/${tail}`,
    `${GITHUB}/../app/runs/7/attempts/2`,
    `${GITHUB}/acme/app?x/runs/7/attempts/2`,
    `${GITHUB}/${tail}/jobs/x`,
    `${GITHUB}/acme/app/runs/7/attempts/2/3`,
    `${own}/_services/token/${tail}`,
    "",
  ];
  expect(strangers.filter((name) => whereabouts(web, name) !== null)).toEqual([]);
  const identity = (run: string | null, claims: object) => ({ run, claims }) as JobIdentity;
  expect(jobOf(identity(tail, { check_run_id: "9" }))).toBe(`${tail}/jobs/9`);
  expect(jobOf(identity(null, { check_run_id: "9" }))).toBe(null);
  expect(jobOf(identity(tail, {}))).toBe(null);
});

describe("a server with a policy and an App", () => {
  /** Sessions of jobs, opened by ID tokens, which are those of this GitHub. */
  async function start() {
    const issuer = await LocalIssuer.open();
    await issuer.close();
    const directory = temporaryDirectory();
    const jwks = join(directory, "keys.json");
    writeFileSync(jwks, JSON.stringify(issuer.jwks));
    const url = `${github.origin}/_services/token`;
    const audience = "https://locks.acme.dev";
    const claims = { repository_owner_id: "1234" };
    const content = {
      issuers: [{ name: "github", url, audience, jwks }],
      rules: [{ issuer: "github", claims, keys: ["*"], may: ["claim", "look"] }],
    };
    const policy = join(directory, "policy.json");
    writeFileSync(policy, JSON.stringify(content));
    const rules = { "acme/*:production": { key: "production" } };
    const flags = {
      policy,
      data: join(directory, "locks.db"),
      "github-app": writeGateFile(directory, github, api, rules),
    };
    const { server, port, plain } = await startHttp(flags);
    hook = port;
    /** The same session on a new server with the same data. */
    const restart = async (session: SessionClient) => {
      await server.running.stop();
      hook = (await startHttp(flags)).port;
      return adopt(new SessionClient(hook, { sessionId: session.id, name: session.name }));
    };
    const open = async (check: number) => {
      const token = await issuer.token(
        githubClaims({
          iss: url,
          repository: REPOSITORY,
          run_id: String(run.id),
          check_run_id: String(check),
        }),
      );
      const headers = { authorization: `Bearer ${token}` };
      const answer = await plain.ask("/auth/session", { method: "POST", headers });
      expect(answer.status).toBe(201);
      return adopt(new SessionClient(port, answer.json));
    };
    return { open, restart };
  }

  const isAsked = (path: string) =>
    github.asked.some((each) => each === `GET /repos/${REPOSITORY}/actions/${path}`);

  /** Tells of the run, or of its job, until the server has noticed who holds something, and has asked. */
  async function noticed(path: string, event: string, payload: object): Promise<void> {
    await until(() => {
      const repository = { id: 1, full_name: REPOSITORY };
      github.deliver(event, { action: "requested", repository, ...payload });
      return isAsked(path);
    });
  }

  it("releases the lock of a run that is over, which a job took with its ID token", async () => {
    const { open } = await start();
    const session = await open(job.id);
    const query = "/notes?lock=acquire&run=x&ttl=3600000";
    expect((await session.ask(query)).status).toBe(200);
    await session.ask("/auth/session", { method: "DELETE" });
    const looker = await open(job.id + 100);
    const holders = async () => (await looker.ask("/notes?lock=status")).json.holders;
    const workflow_run = { id: run.id };
    await noticed(`runs/${run.id}/attempts/1`, "workflow_run", { workflow_run });
    expect(await holders()).toHaveLength(1);
    github.cancel(run);
    await until(async () => (await holders()).length === 0);
    const { json } = await looker.ask("/admin/history/notes");
    expect(json.holds[0]).toMatchObject({ end: "released" });
  });

  it("releases the lock of a job that is over while its session is still renewed, also after a restart", async () => {
    const { open, restart } = await start();
    const before = await open(job.id);
    expect((await before.ask("/notes?lock=acquire")).status).toBe(200);
    const session = await restart(before);
    const workflow_job = { id: job.id, run_id: run.id, status: "in_progress" };
    await noticed(`jobs/${job.id}`, "workflow_job", { workflow_job });
    expect((await session.ask("/notes?lock=refresh")).status).toBe(200);
    github.cancel(run);
    job.endedAt = Date.now() - 31_000;
    await until(async () => (await session.ask("/notes?lock=refresh")).status !== 200);
    expect(isAsked(`runs/${run.id}/attempts/1`)).toBe(false);
  });
});
