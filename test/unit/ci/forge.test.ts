import { describe, expect, it } from "vitest";
import { askForge } from "../../../src/ci/forge.ts";
import { NEVER } from "../../../src/lock/time.ts";
import { ForgeApi } from "../../helpers/forge-api.ts";

const TOKEN = "ghs_secret";
const RUNNER = "GitHub Actions 12";

/** A job of acme/app, as its runner tells it in the environment. */
function jobAt(api: ForgeApi, more: Record<string, string | undefined> = {}) {
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_SERVER_URL: "https://github.com",
    GITHUB_API_URL: api.base,
    GITHUB_REPOSITORY: "acme/app",
    GITHUB_RUN_ID: "7",
    GITHUB_RUN_ATTEMPT: "2",
    RUNNER_NAME: RUNNER,
    ...more,
  };
}

async function withJob(path?: "/api/v3"): Promise<ForgeApi> {
  const api = await ForgeApi.start(path);
  const own = { id: 70, run_id: 7, run_attempt: 2, completed_at: null, runner_name: RUNNER };
  api.jobs = [{ ...own, status: "in_progress" }];
  return api;
}

function lifeAt(api: ForgeApi, more: { job?: string | null; runner?: string | null } = {}) {
  const run = { repository: "acme/app", run: "7", attempt: "2" };
  return { kind: "job", api: api.base, ...run, job: "70", runner: RUNNER, ...more };
}

describe("the life of this job", () => {
  it.each(["github", "github:acme/app", " github ", "github?ref=refs/heads/locks/"])(
    "is the forge's to tell in its own repository: %s",
    async (store) => {
      const api = await withJob();
      api.token = TOKEN;
      const facts = await askForge({
        signal: NEVER,
        env: jobAt(api),
        store,
        jobId: "70",
        token: TOKEN,
      });
      expect(facts.life).toEqual(lifeAt(api));
      expect(api.seen).toEqual(["200 /repos/acme/app/actions/jobs/70"]);
      expect([...api.tokens]).toEqual([`Bearer ${TOKEN}`]);
    },
  );

  it.each([
    "github:acme/locks",
    "github:acme/app2",
    "git+https://example.org/acme/app.git",
    "git+https://github.com/acme/locks.git",
  ])("is not in another repository, and nobody is asked: %s", async (store) => {
    const api = await withJob();
    const facts = await askForge({ signal: NEVER, env: jobAt(api), store, jobId: "70" });
    expect(facts.life).toBeUndefined();
    expect(api.seen).toEqual([]);
  });

  it("is found by the runner's name on GitHub Enterprise Server, which tells no id", async () => {
    const api = await withJob("/api/v3");
    const server = "https://github.example.org";
    const env = jobAt(api, { GITHUB_SERVER_URL: `${server}/` });
    const store = `git+${server}/acme/app.git`;
    const { life, alive } = await askForge({ signal: NEVER, env, store, jobId: "" });
    expect(life).toEqual(lifeAt(api, { job: null }));
    expect(api.seen).toHaveLength(1);
    expect(api.seen[0]).toMatch(
      /^200 \/api\/v3\/repos\/acme\/app\/actions\/runs\/7\/attempts\/2\//,
    );
    expect(await alive(life as NonNullable<typeof life>, NEVER)).toBe(true);
    const other = await askForge({ signal: NEVER, env, store: "github:acme/app", jobId: "" });
    expect(other.life).toBeUndefined();
  });

  it.each([
    ["an id that is no number", "check-70"],
    ["no id at all", undefined],
  ])("is found by the runner's name with %s", async (_name, jobId) => {
    const api = await withJob();
    const { life } = await askForge({ signal: NEVER, env: jobAt(api), store: "github", jobId });
    expect(life).toEqual(lifeAt(api, { job: null }));
  });

  it("is found by the job in the runner's token on Gitea, which tells neither id nor name", async () => {
    const api = await ForgeApi.start("/api/v1");
    api.jobs = [{ id: 70, run_id: 7, run_attempt: 2, completed_at: null, status: "in_progress" }];
    const claims = Buffer.from(JSON.stringify({ TaskID: 9, RunID: 7, JobID: 70 }));
    const env = jobAt(api, {
      GITEA_ACTIONS: "true",
      RUNNER_NAME: undefined,
      ACTIONS_RUNTIME_TOKEN: `x.${claims.toString("base64url")}.y`,
    });
    const { life, alive } = await askForge({ signal: NEVER, env, store: "github", jobId: "" });
    expect(life).toEqual(lifeAt(api, { runner: null }));
    expect(api.seen).toEqual(["200 /api/v1/repos/acme/app/actions/jobs/70"]);
    const over = { status: "completed", completed_at: api.ago(31) };
    api.jobs = api.jobs.map((job) => ({ ...job, ...over }));
    expect(await alive(life as NonNullable<typeof life>, NEVER)).toBe(false);
    const elsewhere = { ...env, GITEA_ACTIONS: undefined };
    const stranger = await askForge({ signal: NEVER, env: elsewhere, store: "github", jobId: "" });
    expect(stranger.life).toBeUndefined();
  });

  it.each([403, 404, 429, 500])("is not where the forge answers %i for it", async (status) => {
    const api = await withJob();
    api.fault = { status };
    const { life, alive } = await askForge({
      signal: NEVER,
      env: jobAt(api),
      store: "github",
      jobId: "70",
    });
    expect(life).toBeUndefined();
    api.fault = undefined;
    if (status === 429) return;
    // Others may be asked about all the same: a passing error is no reason to stop.
    expect(await alive(lifeAt(api) as Parameters<typeof alive>[0], NEVER)).toBe(true);
  });

  it.each([
    ["neither id nor runner's name", { RUNNER_NAME: undefined }, ""],
    ["no run", { GITHUB_RUN_ID: undefined }, "70"],
    ["no repository", { GITHUB_REPOSITORY: undefined }, "70"],
    ["another CI system", { GITHUB_ACTIONS: undefined }, "70"],
  ])("is not known with %s, and nobody is asked", async (_name, more, jobId) => {
    const api = await withJob();
    const { life } = await askForge({
      signal: NEVER,
      env: jobAt(api, more),
      store: "github",
      jobId,
    });
    expect(life).toBeUndefined();
    expect(api.seen).toEqual([]);
  });
});
