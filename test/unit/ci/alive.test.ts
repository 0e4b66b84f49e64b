import { describe, expect, it } from "vitest";
import { type AliveOptions, type ForgeLife, openAlive } from "../../../src/ci/alive.ts";
import { NEVER } from "../../../src/lock/time.ts";
import { ForgeApi, type Job } from "../../helpers/forge-api.ts";

const TOKEN = "ghs_secret";

/** Asks without end, but for a signal that a test gives. */
function opened(options: AliveOptions) {
  const alive = openAlive(options);
  return (life: ForgeLife, signal = NEVER) => alive(life, signal);
}

function asking(api: ForgeApi, more: { token?: string } = {}) {
  return opened({ env: { GITHUB_API_URL: `${api.base}/` }, ...more });
}

function jobLife(api: ForgeApi, more: Partial<ForgeLife> = {}): ForgeLife {
  return {
    kind: "job",
    api: api.base,
    repository: "acme/app",
    run: "7",
    attempt: "1",
    job: "70",
    runner: null,
    ...more,
  } as ForgeLife;
}

function runLife(api: ForgeApi, more: Partial<ForgeLife> = {}): ForgeLife {
  return {
    kind: "run",
    api: api.base,
    repository: "acme/app",
    run: "7",
    attempt: "1",
    ...more,
  } as ForgeLife;
}

function job(status: string, completed_at: string | null, more: Partial<Job> = {}): Job {
  return { id: 70, run_id: 7, run_attempt: 1, status, completed_at, ...more };
}

describe("a job on GitHub", () => {
  it.each(["queued", "in_progress", "waiting", "pending", "requested"])(
    "that is %s lives",
    async (status) => {
      const api = await ForgeApi.start();
      api.jobs = [job(status, null)];
      expect(await asking(api)(jobLife(api))).toBe(true);
      expect(api.seen).toEqual(["200 /repos/acme/app/actions/jobs/70"]);
    },
  );

  it("is dead when it was over for 30 s by the forge's own clock", async () => {
    const api = await ForgeApi.start();
    const alive = asking(api);
    api.jobs = [job("completed", api.ago(0))];
    expect(await alive(jobLife(api))).toBe(true);
    api.now += 29_000;
    expect(await alive(jobLife(api))).toBe(true);
    api.now += 1_000;
    expect(await alive(jobLife(api))).toBe(false);
    // The answer did not change, so that it was free; and what is over stays over.
    const path = "/repos/acme/app/actions/jobs/70";
    expect(api.seen).toEqual([`200 ${path}`, `304 ${path}`, `304 ${path}`]);
    expect(await alive(jobLife(api))).toBe(false);
    expect(api.seen).toHaveLength(3);
  });

  it("counts as alive for longer on Gitea where it was cancelled: its step may go on", async () => {
    const [github, gitea] = [await ForgeApi.start(), await ForgeApi.start("/api/v1")];
    for (const api of [github, gitea]) {
      api.jobs = [job("completed", api.ago(31), { conclusion: "cancelled" })];
    }
    expect(await asking(github)(jobLife(github))).toBe(false);
    const alive = asking(gitea);
    expect(await alive(jobLife(gitea))).toBe(true);
    gitea.now += 568_000;
    expect(await alive(jobLife(gitea))).toBe(true);
    gitea.now += 1_000;
    expect(await alive(jobLife(gitea))).toBe(false);
    gitea.jobs = [job("completed", gitea.ago(31), { id: 71, conclusion: "failure" })];
    expect(await alive(jobLife(gitea, { job: "71" }))).toBe(false);
  });

  it("is not known where its end is not told", async () => {
    const api = await ForgeApi.start();
    for (const end of [null, "soon", "0001-01-01T00:00:00Z", "1970-01-01T00:00:00Z"]) {
      api.jobs = [job("completed", end)];
      expect(await asking(api)(jobLife(api))).toBeNull();
    }
  });

  it("is not known where the id is that of another run's job", async () => {
    const api = await ForgeApi.start();
    api.jobs = [job("completed", api.ago(600), { run_id: 8 })];
    expect(await asking(api)(jobLife(api))).toBeNull();
  });

  it("is seen through its end", async () => {
    const api = await ForgeApi.start();
    const alive = asking(api);
    api.jobs = [job("in_progress", null)];
    expect(await alive(jobLife(api))).toBe(true);
    api.jobs = [job("completed", api.ago(31))];
    expect(await alive(jobLife(api))).toBe(false);
  });
});

describe("not known, and nobody is robbed", () => {
  it.each([
    ["404", { status: 404 }],
    ["403", { status: 403 }],
    ["429", { status: 429 }],
    ["500", { status: 500 }],
    ["502", { status: 502 }],
    ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:9/" } }],
    ["a page", "garbage"],
    ["an answer without a date", "dateless"],
  ] as const)("%s", async (_name, fault) => {
    const api = await ForgeApi.start();
    api.jobs = [job("completed", api.ago(600))];
    api.fault = fault;
    expect(await asking(api)(jobLife(api))).toBeNull();
    expect(await asking(api)(runLife(api))).toBeNull();
  });

  it("a forge that cannot be reached", async () => {
    const env = { GITHUB_API_URL: "http://127.0.0.1:1" };
    const api = { base: env.GITHUB_API_URL } as ForgeApi;
    expect(await opened({ env })(jobLife(api))).toBeNull();
  });

  it("a forge that does not answer", async () => {
    const api = await ForgeApi.start();
    api.fault = "silent";
    expect(await asking(api)(jobLife(api))).toBeNull();
  }, 30_000);

  it("a 304 keeps what was known; a failure in between does not become a death", async () => {
    const api = await ForgeApi.start();
    const alive = asking(api);
    api.jobs = [job("in_progress", null)];
    expect(await alive(jobLife(api))).toBe(true);
    api.fault = { status: 503 };
    expect(await alive(jobLife(api))).toBeNull();
    api.fault = undefined;
    expect(await alive(jobLife(api))).toBe(true);
  });

  it.each([
    ["another API", { api: "http://127.0.0.1:9" }],
    ["a path in the repository", { repository: "../../user" }],
    ["three names", { repository: "a/b/c" }],
    ["a run that is no number", { run: "7/../8" }],
    ["a job that is no number", { job: "70?x=1" }],
    ["an attempt that is no number", { attempt: "" }],
    ["neither job nor runner", { job: null }],
  ])("%s: is not asked at all", async (_name, more) => {
    const api = await ForgeApi.start();
    api.jobs = [job("completed", api.ago(600))];
    expect(await asking(api)(jobLife(api, more as Partial<ForgeLife>))).toBeNull();
    expect(api.seen).toEqual([]);
  });

  it("a forge that is rate-limiting requests is left alone", async () => {
    const api = await ForgeApi.start();
    api.jobs = [job("completed", api.ago(600))];
    for (const headers of [
      { "retry-after": "60" },
      { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(api.now / 1_000 + 900) },
    ]) {
      const alive = asking(api);
      api.fault = { status: 403, headers };
      api.seen.length = 0;
      expect(await alive(jobLife(api))).toBeNull();
      api.fault = undefined;
      expect(await alive(jobLife(api))).toBeNull();
      expect(api.seen).toHaveLength(1);
    }
    const soon = asking(api);
    api.fault = { status: 429, headers: { "retry-after": "0" } };
    expect(await soon(jobLife(api))).toBeNull();
    api.fault = undefined;
    expect(await soon(jobLife(api))).toBe(false);
  });
});

describe("the token", () => {
  it("is sent to its own forge, and is the one that was given, else the job's", async () => {
    const api = await ForgeApi.start();
    api.token = TOKEN;
    api.jobs = [job("in_progress", null)];
    expect(await asking(api)(jobLife(api))).toBeNull();
    expect(await asking(api, { token: TOKEN })(jobLife(api))).toBe(true);
    const env = { GITHUB_API_URL: api.base, GITHUB_TOKEN: TOKEN };
    expect(await opened({ env })(jobLife(api))).toBe(true);
    expect([...api.tokens]).toEqual([undefined, `Bearer ${TOKEN}`]);
  });

  it("is not sent where a document says", async () => {
    const [own, other] = [await ForgeApi.start(), await ForgeApi.start()];
    other.jobs = [job("completed", other.ago(600))];
    const alive = opened({ env: { GITHUB_API_URL: own.base, GITHUB_TOKEN: TOKEN } });
    expect(await alive(jobLife(other))).toBeNull();
    expect(other.tokens.size).toBe(0);
  });
});

describe.each(["/api/v3", "/api/v1"] as const)("a job that only its runner names (%s)", (path) => {
  const life = (api: ForgeApi, runner = "r1") => jobLife(api, { job: null, runner });

  it("is found by it in its attempt", async () => {
    const api = await ForgeApi.start(path);
    api.jobs = [
      job("completed", api.ago(600), { id: 1, runner_name: "r1" }),
      job("in_progress", null, { id: 2, runner_name: "r2" }),
      job("in_progress", null, { id: 3, runner_name: "r1", run_attempt: 2 }),
    ];
    const alive = asking(api);
    expect(await alive(life(api))).toBe(false);
    expect(await alive(life(api, "r2"))).toBe(true);
    expect(await alive(life(api, "r3"))).toBeNull();
  });

  it("lives while any job of that runner in the attempt does", async () => {
    const api = await ForgeApi.start(path);
    api.jobs = [
      job("completed", api.ago(600), { id: 1, runner_name: "r1" }),
      job("in_progress", null, { id: 2, runner_name: "r1" }),
    ];
    expect(await asking(api)(life(api))).toBe(true);
  });

  it("is found on a later page", async () => {
    const api = await ForgeApi.start(path);
    api.jobs = Array.from({ length: 250 }, (_, index) =>
      job("in_progress", null, { id: index, runner_name: `r${index}` }),
    );
    api.jobs[249] = job("completed", api.ago(60), { id: 249, runner_name: "r249" });
    expect(await asking(api)(life(api, "r249"))).toBe(false);
    expect(api.seen).toHaveLength(3);
  });
});

describe.each(["", "/api/v1"] as const)("a whole run (%s)", (path) => {
  it("lives while one of its jobs does, whatever it says of itself", async () => {
    const api = await ForgeApi.start(path);
    api.runs = { 7: "completed" };
    api.jobs = [job("completed", api.ago(600)), job("queued", null, { id: 71 })];
    expect(await asking(api)(runLife(api))).toBe(true);
  });

  it("is dead when all jobs are over and it says so", async () => {
    const api = await ForgeApi.start(path);
    api.runs = { 7: "completed" };
    api.jobs = [job("completed", api.ago(600)), job("completed", api.ago(31), { id: 71 })];
    expect(await asking(api)(runLife(api))).toBe(false);
    api.jobs = [job("completed", api.ago(600)), job("completed", api.ago(29), { id: 71 })];
    expect(await asking(api)(runLife(api))).toBe(true);
  });

  it("lives between two of its jobs, but not for ever", async () => {
    const api = await ForgeApi.start(path);
    api.runs = { 7: "in_progress" };
    api.jobs = [job("completed", api.ago(120))];
    const alive = asking(api);
    expect(await alive(runLife(api))).toBe(true);
    api.now += 480_000;
    expect(await alive(runLife(api))).toBe(false);
  });

  it("is not known without a job, or where not all were told", async () => {
    const api = await ForgeApi.start(path);
    api.runs = { 7: "completed" };
    expect(await asking(api)(runLife(api))).toBeNull();
    api.jobs = Array.from({ length: 1_001 }, (_, id) => job("completed", api.ago(900), { id }));
    expect(await asking(api)(runLife(api))).toBeNull();
  });

  it("does not live on in a later attempt", async () => {
    const api = await ForgeApi.start(path);
    api.runs = { 7: "completed" };
    api.jobs = [
      job("completed", api.ago(900)),
      job("in_progress", null, { id: 80, run_attempt: 2 }),
    ];
    expect(await asking(api)(runLife(api))).toBe(false);
    expect(await asking(api)(runLife(api, { attempt: "2" }))).toBe(true);
  });
});
