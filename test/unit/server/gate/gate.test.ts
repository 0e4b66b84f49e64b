import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { runOf } from "../../../../src/ci/run.ts";
import { runText } from "../../../../src/server/gate/pass.ts";
import { openHttpStore } from "../../../../src/stores/http/store.ts";
import { openTcpStore } from "../../../../src/stores/tcp/store.ts";
import { temporaryDirectory } from "../../../helpers/directories.ts";
import { writeGateFile } from "../../../helpers/github/gated.ts";
import {
  GitHubStandIn,
  type JobSpec,
  type StandInOptions,
  WEBHOOK_SECRET,
} from "../../../helpers/github/stand-in.ts";
import { Relay } from "../../../helpers/http/relay.ts";
import { type HttpServer, startHttp } from "../../../helpers/server/http-server.ts";
import { Restartable } from "../../../helpers/server/restartable.ts";
import { until } from "../../../helpers/waiting.ts";

const REPOSITORY = "acme/app";
const DEPLOY: JobSpec = { name: "deploy", environment: "production", takes: 100_000 };
const RULES = { "acme/*:production": { key: "production", ttl: "1h" } };

const open: GitHubStandIn[] = [];
afterEach(async () => {
  for (const github of open.splice(0)) await github.close();
});

interface Gated {
  readonly github: GitHubStandIn;
  readonly server: HttpServer;
  readonly api: number;
  /** What `status` says of the key. */
  look(): Promise<{ holders: { fence: number; owner: string }[]; waiters: { owner: string }[] }>;
}

let port = 0;

async function standIn(options: Partial<StandInOptions> = {}) {
  const github = new GitHubStandIn({ hook: () => port, ...options });
  open.push(github);
  return { github, api: await github.open() };
}

async function startGated(
  options: Partial<StandInOptions> = {},
  rules: object = RULES,
): Promise<Gated> {
  const { github, api } = await standIn(options);
  const directory = temporaryDirectory();
  const server = await startHttp({
    data: join(directory, "locks.db"),
    "github-app": writeGateFile(directory, github, api, rules),
  });
  port = server.port;
  const session = await server.session();
  const look = async () => (await session.ask("/production?lock=status")).json;
  return { github, server, api, look };
}

const storeOf = ({ server, port }: HttpServer, door: "http" | "tcp") =>
  door === "tcp"
    ? openTcpStore(`tcp://127.0.0.1:${server.port}`, {})
    : openHttpStore(`http://127.0.0.1:${port}`, {});

const approvals = ({ decisions }: GitHubStandIn) =>
  decisions.filter(({ state }) => state === "approved");

/** The environment of a job of this run, as GitHub gives it to it. */
function jobEnv(api: number, run: number, attempt = 1) {
  return {
    GITHUB_ACTIONS: "true",
    GITHUB_SERVER_URL: `http://127.0.0.1:${api}`,
    GITHUB_API_URL: `http://127.0.0.1:${api}`,
    GITHUB_REPOSITORY: REPOSITORY,
    GITHUB_RUN_ID: String(run),
    GITHUB_RUN_ATTEMPT: String(attempt),
    GITHUB_JOB: "deploy",
  };
}

function ownerIn(api: number, run: number, attempt = 1) {
  const metadata = {
    ci_system: "github",
    repository: REPOSITORY,
    run_id: String(run),
    run_attempt: String(attempt),
    run_url: `http://127.0.0.1:${api}/${REPOSITORY}/actions/runs/${run}`,
  };
  return { id: `ci-github-${run}-${attempt}-deploy`, metadata };
}

describe("the gate", () => {
  it("names a run as its jobs do for until: run", () => {
    const id = runText("http://127.0.0.1:8080", REPOSITORY, "12", "3");
    expect(runOf(jobEnv(8080, 12, 3))?.id).toBe(id);
    const hosted = { GITHUB_ACTIONS: "true", GITHUB_RUN_ID: "7", GITHUB_RUN_ATTEMPT: "1" };
    const named = runText("https://github.com", REPOSITORY, "7", "1");
    expect(runOf({ ...hosted, GITHUB_REPOSITORY: REPOSITORY })?.id).toBe(named);
  });

  it("lets one run in, tells the next how it stands, and lets it in when the first is over", async () => {
    const { github, look } = await startGated();
    const first = github.push(REPOSITORY, [DEPLOY]);
    await until(() => approvals(github).length === 1);
    const [holder] = (await look()).holders;
    expect(github.decisions[0]?.comment).toContain(`fence ${holder?.fence}`);
    const second = github.push(REPOSITORY, [DEPLOY]);
    await until(() => (second.jobs[0]?.deployment?.comments.length ?? 0) === 1);
    expect(second.jobs[0]?.deployment?.comments[0]).toMatch(
      new RegExp(`^Holdfast: waiting for production: 1st in line; held by .*${first.id}.*\\.$`),
    );
    github.cancel(first);
    await until(() => approvals(github).some(({ run }) => run === second.id));
    expect((await look()).holders).toHaveLength(1);
    expect(github.violations).toEqual([]);
  });

  it.each([
    ["http", "job"],
    ["http", "run"],
    ["tcp", "job"],
  ] as const)(
    "gives the job's own step the lock of its run at once, with the same fence (%s, until: %s)",
    async (door, span) => {
      const { github, server, api, look } = await startGated();
      const run = github.push(REPOSITORY, [DEPLOY]);
      await until(() => approvals(github).length === 1);
      const store = storeOf(server, door);
      const whole = runOf(jobEnv(api, run.id))?.id as string;
      for (const patience of [0, 60_000]) {
        const holding = await store.claim(
          {
            key: "production",
            owner: ownerIn(api, run.id),
            ttl: 60_000,
            ...(span === "job" ? {} : { run: { id: whole, forge: null } }),
          },
          { timeout: patience },
        );
        const [holder] = (await look()).holders;
        expect(holding.lease.fence).toBe(holder?.fence);
        await holding.renew();
        expect(await store.verify(holding.lease)).toBe(true);
        // A job that is done with it does not take it from the others of its run.
        if (span === "job") {
          expect(await holding.release()).toBe("released");
          expect((await look()).holders).toHaveLength(1);
        }
      }
      github.cancel(run);
      await until(async () => (await look()).holders.length === 0);
      await store.close();
    },
  );

  it.each(["http", "tcp"] as const)("tells the job's own step of a break (%s)", async (door) => {
    const { github, server, api } = await startGated();
    const run = github.push(REPOSITORY, [DEPLOY]);
    await until(() => approvals(github).length === 1);
    const store = storeOf(server, door);
    const owner = ownerIn(api, run.id);
    const holding = await store.claim({ key: "production", owner, ttl: 60_000 }, { timeout: 0 });
    await storeOf(server, "http").break("production", { reason: "incident 42", owner: "ann" });
    await expect(holding.renew()).rejects.toMatchObject({ code: "LOCK_LOST" });
    expect(String(holding.lost.reason)).toContain("incident 42");
    await store.close();
  });

  it("ends the job's own step's hold no later than that of its run", async () => {
    // A run's hold lasts five minutes at least: here the server tells of the last moment of one.
    const fence = 5;
    const granted = { message: "Lock acquired", fence, slot: 0, slots: 1, left: 300 };
    const relay = await Relay.start(
      (line) => {
        if (line.includes("lock=acquire")) return { status: 200, body: granted };
        return line.includes("lock=") ? { status: 200, body: { message: "yes", fence } } : {};
      },
      (await startHttp()).port,
    );
    const store = openHttpStore(relay.url, {});
    const request = { key: "production", owner: ownerIn(1, 1), ttl: 60_000 };
    const { lost } = await store.claim(request, { timeout: 0 });
    await until(() => lost.aborted);
    expect(String(lost.reason)).toContain("its ttl is over");
    await store.close();
  });

  it("refuses the job's own step more than its run has", async () => {
    const rules = { "acme/*:production": { key: "production", slots: 2 } };
    const { github, server, api, look } = await startGated({}, rules);
    const run = github.push(REPOSITORY, [DEPLOY]);
    await until(() => approvals(github).length === 1);
    const store = storeOf(server, "http");
    const request = { key: "production", slots: 2, owner: ownerIn(api, run.id), ttl: 60_000 };
    const claim = (more: object) => store.claim({ ...request, ...more }, { timeout: 0 });
    await expect(claim({ weight: 2 })).rejects.toMatchObject({ code: "BAD_WEIGHT" });
    await expect(claim({ resources: ["a", "b"] })).rejects.toMatchObject({
      code: "SLOTS_MISMATCH",
    });
    expect((await look()).holders).toHaveLength(1);
    await store.close();
  });

  it("keeps a stranger's step waiting, whichever run it says it is of", async () => {
    const { github, server, api } = await startGated();
    const run = github.push(REPOSITORY, [DEPLOY]);
    await until(() => approvals(github).length === 1);
    const store = openHttpStore(`http://127.0.0.1:${server.port}`, {});
    for (const owner of [
      ownerIn(api, run.id, 2),
      ownerIn(api, run.id + 1),
      ownerIn(api + 1, run.id),
    ])
      await expect(
        store.claim({ key: "production", owner, ttl: 60_000 }, { timeout: 0 }),
      ).rejects.toMatchObject({ code: "TIMEOUT" });
    await store.close();
  });

  it("leaves the line when a waiting run is cancelled, also where no event says so", async () => {
    const { github, look } = await startGated({
      fate: (event) => (event === "deployment_protection_rule" ? [0] : []),
    });
    github.push(REPOSITORY, [DEPLOY]);
    await until(() => approvals(github).length === 1);
    const second = github.push(REPOSITORY, [DEPLOY]);
    await until(async () => (await look()).waiters.length === 1);
    github.cancel(second);
    // The same delivery again is a reason to ask.
    const asked = github.deliveries.findLast(({ event }) => event === "deployment_protection_rule");
    github.deliver("deployment_protection_rule", asked?.payload as object);
    await until(async () => (await look()).waiters.length === 0);
    expect(approvals(github)).toHaveLength(1);
  });

  it("holds on until all legs of a matrix are over, and lets them in together", async () => {
    const legs = ["a", "b", "c"].map((name) => ({ ...DEPLOY, name }));
    const { github, look } = await startGated();
    const run = github.push(REPOSITORY, legs);
    await until(() => run.jobs.every(({ status }) => status === "in_progress"));
    const next = github.push(REPOSITORY, [DEPLOY]);
    await until(async () => (await look()).waiters.length === 1);
    const before = (await look()).holders[0]?.fence;
    for (const [at, job] of run.jobs.entries()) {
      job.status = "completed";
      job.deployment?.states.push("success");
      // An event, whatever it tells, is only a reason to ask.
      github.deliver("workflow_run", runEvent(github, run.id));
      const seen = github.asked.length;
      await until(() => github.asked.length > seen + 2);
      if (at < 2) expect((await look()).holders[0]?.fence).toBe(before);
    }
    await until(() => approvals(github).some(({ run: id }) => id === next.id));
  });

  it.each([
    ["http", {}],
    ["http", { priority: 5 }],
    ["tcp", {}],
  ] as const)(
    "lets the job's own step wait where an administrator went past the gate (%s, %j)",
    async (door, more) => {
      const { github, server, api, look } = await startGated();
      const first = github.push(REPOSITORY, [DEPLOY]);
      await until(() => approvals(github).length === 1);
      const second = github.push(REPOSITORY, [DEPLOY]);
      await until(async () => (await look()).waiters.length === 1);
      github.bypass(second, "production");
      await until(() => second.jobs[0]?.status === "in_progress");
      const store = storeOf(server, door);
      const owner = ownerIn(api, second.id);
      const request = { key: "production", owner, ttl: 60_000, ...more };
      const waiting = store.claim(request, { timeout: 60_000 });
      await until(async () => (await look()).waiters.length === 2);
      expect((await look()).holders[0]?.owner).toContain(String(first.id));
      github.cancel(first);
      const holding = await waiting;
      expect((await look()).holders).toMatchObject([{ fence: holding.lease.fence }]);
      expect((await look()).holders[0]?.owner).toContain(String(second.id));
      expect(approvals(github)).toHaveLength(1);
      await holding.renew();
      await holding.release();
      github.cancel(second);
      await until(async () => (await look()).holders.length === 0);
      await store.close();
    },
  );

  it("does not wait for itself: a run that is started anew at once gets the lock", async () => {
    const { github, look } = await startGated();
    const run = github.push(REPOSITORY, [DEPLOY]);
    await until(() => run.jobs[0]?.status === "in_progress");
    // GitHub's clock goes on: the approval of the first attempt has arrived, or never will.
    github.cancel(run);
    github.rerun(run);
    await until(async () => (await look()).waiters.length === 1);
    github.ahead = 120_000;
    github.deliver("workflow_run", runEvent(github, run.id));
    await until(() => run.jobs[0]?.status === "in_progress");
    expect(approvals(github).map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it("keeps what was let in while the App is uninstalled, and goes on when it is back", async () => {
    const { github, server, look } = await startGated();
    const first = github.push(REPOSITORY, [DEPLOY]);
    await until(() => first.jobs[0]?.status === "in_progress");
    const second = github.push(REPOSITORY, [DEPLOY]);
    await until(async () => (await look()).waiters.length === 1);
    github.installed = false;
    github.cancel(first);
    await until(() => server.server.printed.log.includes("is gone or suspended"));
    expect((await look()).holders[0]?.owner).toContain(String(first.id));
    expect(approvals(github)).toHaveLength(1);
    github.installed = true;
    await until(() => second.jobs[0]?.status === "in_progress");
    expect((await look()).holders).toHaveLength(1);
  });

  it("lets two runs pass that cross each other's environments, whatever is lost", async () => {
    const begun = Promise.withResolvers<void>();
    let first = 0;
    const { github } = await startGated(
      {
        fate: (event) => (event === "workflow_job" ? [] : [0]),
        work: ({ name }) => {
          if (name === "one" && ++first === 2) begun.resolve();
          return begun.promise;
        },
      },
      { "acme/*:a": { key: "a" }, "acme/*:b": { key: "b" } },
    );
    const jobs = (...names: [string, string]): JobSpec[] => [
      { name: "one", environment: names[0], takes: 1 },
      { name: "two", environment: names[1], takes: 1, needs: ["one"] },
    ];
    const runs = [github.push(REPOSITORY, jobs("a", "b")), github.push(REPOSITORY, jobs("b", "a"))];
    await until(() => runs.every(({ status }) => status === "completed"));
    expect(approvals(github)).toHaveLength(4);
  });

  it("releases nothing that a job of the run held for its run before", async () => {
    const { github, server, api, look } = await startGated({
      work: async ({ name, run }) => {
        if (name !== "build") return;
        const span = { run: { id: runOf(jobEnv(api, run.id))?.id as string, forge: null } };
        const request = { key: "production", owner: ownerIn(api, run.id), ttl: 3_600_000, ...span };
        await storeOf(server, "http").claim(request, { timeout: 0 });
      },
    });
    const build = { name: "build", environment: null, takes: 1 };
    const run = github.push(REPOSITORY, [build, { ...DEPLOY, takes: 1, needs: ["build"] }]);
    await until(() => run.status === "completed");
    await until(() => server.server.printed.log.includes("gate done"));
    expect((await look()).holders).toMatchObject([{ owner: `ci-github-${run.id}-1-deploy` }]);
  });

  it("tells a run why it cannot stand in line", async () => {
    const { github, server } = await startGated();
    const store = storeOf(server, "http");
    const other = { key: "production", slots: 2, owner: { id: "ann", metadata: {} }, ttl: 60_000 };
    await store.claim(other, { timeout: 0 });
    const run = github.push(REPOSITORY, [DEPLOY]);
    const comments = () => run.jobs[0]?.deployment?.comments ?? [];
    await until(() => comments().length > 0);
    expect(comments()).toEqual([
      "Holdfast: not in line for production yet: it is in use with slots 2, and the gate's file says 1; this is tried again.",
    ]);
    await store.close();
  });

  it("asks GitHub about twenty runs at once, and about all others after them", async () => {
    const { github, server, look } = await startGated(
      {},
      { "acme/*:**": { key: "{environment}" } },
    );
    await until(() => github.asked.some((each) => each.includes("/deliveries")));
    const answering = Promise.withResolvers<void>();
    github.held = answering.promise;
    const before = github.asked.length;
    for (let number = 0; number < 60; number++)
      github.push(REPOSITORY, [{ ...DEPLOY, environment: `place-${number}` }]);
    await until(() => server.server.printed.log.split("gate asked").length > 60);
    await until(() => github.asked.length >= before + 20);
    for (let time = 0; time < 20; time++) await look();
    github.held = null;
    answering.resolve();
    await until(() => approvals(github).length === 60);
    // With the list of deliveries, and what was given up a moment before.
    expect(github.most).toBeLessThan(30);
  });

  it("turns a run away for whose environment it has no rule", async () => {
    const { github } = await startGated();
    github.push("strangers/app", [DEPLOY]);
    await until(() => github.decisions.length === 1);
    expect(github.decisions[0]).toMatchObject({ state: "rejected" });
    expect(github.decisions[0]?.comment).toContain("no rule for strangers/app:production");
  });

  it("sends an approval until GitHub has taken it, and takes a lost answer for what it was", async () => {
    const { github, look } = await startGated();
    const answers: (number | "lost")[] = [502, 403, "lost"];
    github.misbehave = (method) => (method === "POST" ? (answers.shift() ?? null) : null);
    const held = github.push(REPOSITORY, [DEPLOY]);
    await until(() => held.jobs[0]?.status === "in_progress");
    await until(() => answers.length === 0);
    expect((await look()).holders).toHaveLength(1);
    await until(() => approvals(github).length >= 1);
    github.cancel(held);
    await until(async () => (await look()).holders.length === 0);
  });

  it("reads the request that did not arrive from the App's deliveries", async () => {
    const { github } = await startGated({ fate: () => [] });
    github.push(REPOSITORY, [DEPLOY]);
    const directory = temporaryDirectory();
    // A server that was away while it came.
    const server = await startHttp({
      data: join(directory, "locks.db"),
      "github-app": writeGateFile(directory, github, Number(new URL(github.origin).port), RULES),
    });
    port = server.port;
    await until(() => approvals(github).length === 1);
  });

  it("asks only the host of its configuration, whatever the callback says", async () => {
    const { github, server } = await startGated();
    const foreign = await standIn();
    const sent = github.deliveries.length;
    const run = github.push("acme/other", [{ ...DEPLOY, environment: "staging" }]);
    const [asked] = github.deliveries.slice(sent).filter(({ event }) => event.endsWith("_rule"));
    const path = `/repos/${REPOSITORY}/actions/runs/${run.id}/deployment_protection_rule`;
    const payload = asked?.payload as Record<string, unknown>;
    const ask = (callback: string, event = payload) =>
      signed(server, { ...event, environment: "production", deployment_callback_url: callback });
    // Of another repository, of another path, and what is no address at all.
    expect((await ask(`http://127.0.0.1:${foreign.api}${path}`)).status).toBe(400);
    expect((await ask("https://api.github.com/repos/acme/other/actions/runs/1/x")).status).toBe(
      400,
    );
    expect((await ask("nothing")).status).toBe(400);
    const right = path.replace(REPOSITORY, "acme/other");
    expect((await ask(`http://127.0.0.1:${foreign.api}${right}`)).status).toBe(202);
    await until(() => github.asked.some((each) => each === `GET ${right.replace(/\/[^/]+$/, "")}`));
    expect(foreign.github.asked).toEqual([]);
  });
});

describe("the webhook", () => {
  it("refuses what is not signed, not JSON, too large or not POST, and takes unknown events", async () => {
    const { server, github } = await startGated();
    const { plain } = server;
    const body = JSON.stringify({ action: "requested" });
    const headers = { "content-type": "application/json", "x-github-event": "ping" };
    const post = (more: Record<string, string>, text = body) =>
      plain.ask("/github/webhook", {
        method: "POST",
        body: text,
        headers: { ...headers, ...more },
      });
    const right = `sha256=${createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex")}`;
    const wrong = `sha256=${createHmac("sha256", "another").update(body).digest("hex")}`;
    expect((await post({ "x-hub-signature-256": right })).status).toBe(204);
    for (const signature of [wrong, "sha256=", "sha1=00", right.slice(0, -1), `${right}0`, ""])
      expect((await post({ "x-hub-signature-256": signature })).status).toBe(401);
    expect((await post({})).status).toBe(401);
    expect((await post({ "x-hub-signature-256": right }, `${body} `)).status).toBe(401);
    const text = { "x-hub-signature-256": right, "content-type": "text/plain" };
    expect((await post(text)).status).toBe(415);
    for (const query of ["", "?lock=acquire"])
      expect((await plain.ask(`/github/webhook${query}`)).status).toBe(405);
    const huge = `"${"x".repeat(3 * 2 ** 20)}"`;
    const answer = await post({ "x-hub-signature-256": right }, huge).catch(() => ({
      status: 413,
    }));
    expect(answer.status).toBe(413);
    expect(github.asked.filter((each) => !each.includes("/deliveries"))).toEqual([]);
  });

  it("is not led astray by what a payload names", async () => {
    const { server } = await startGated();
    const named = {
      action: "requested",
      environment: "production",
      installation: { id: 99 },
      repository: { id: 5, full_name: "acme/app" },
      deployment_callback_url: "https://x/repos/acme/app/actions/runs/7/deployment_protection_rule",
    };
    const odd = [
      { ...named, repository: { id: 5, full_name: "acme/.." } },
      { ...named, repository: { id: 5, full_name: "acme/app/../../x" } },
      { ...named, environment: "a\nb" },
      { ...named, environment: ["production"] },
      { ...named, installation: { id: "99" } },
      { ...named, deployment_callback_url: `${named.deployment_callback_url}/..` },
      JSON.parse('{"action":"requested","__proto__":{"environment":"production"}}'),
    ];
    for (const payload of odd) expect((await signed(server, payload)).status).toBe(400);
    for (const payload of [{}, [], null, "text", { action: "__proto__" }])
      expect((await signed(server, payload)).status).toBe(204);
  });

  it("sent again and again, changes nothing: a request that is over claims nothing", async () => {
    const { github, server, look } = await startGated();
    const run = github.push(REPOSITORY, [DEPLOY]);
    const { payload } = github.deliveries.find(({ event }) => event.endsWith("_rule")) ?? {};
    await until(() => approvals(github).length === 1);
    for (let time = 0; time < 3; time++)
      expect((await signed(server, payload as object)).status).toBe(202);
    github.cancel(run);
    await until(async () => (await look()).holders.length === 0);
    const seen = github.asked.length;
    await signed(server, payload as object);
    await until(() => github.asked.length > seen);
    await until(() => server.server.printed.log.includes('reason="the run is over"'));
    expect((await look()).holders).toEqual([]);
    expect(approvals(github)).toHaveLength(1);
  });
});

it.each(["SIGKILL", "SIGTERM"] as const)(
  "over %s: who holds goes on, who waits keeps its place, and is let in once",
  async (signal) => {
    const { github, api } = await standIn();
    const directory = temporaryDirectory();
    const file = writeGateFile(directory, github, api, RULES);
    const server = await Restartable.start(["--http-port", "0", "--github-app", file], directory);
    port = server.httpPort as number;
    const first = github.push(REPOSITORY, [DEPLOY]);
    await until(() => first.jobs[0]?.status === "in_progress");
    const waiting = [];
    for (let number = 0; number < 3; number++) {
      const run = github.push(REPOSITORY, [DEPLOY]);
      waiting.push(run);
      await until(() => (run.jobs[0]?.deployment?.comments.length ?? 0) > 0);
    }
    await server.restart(signal);
    for (const [at, next] of waiting.entries()) {
      expect(approvals(github).map(({ run }) => run)).toEqual(
        [first, ...waiting.slice(0, at)].map(({ id }) => id),
      );
      // What ends while the server is away has sent its events to nobody.
      await server.end(signal);
      github.cancel(at === 0 ? first : (waiting[at - 1] as typeof first));
      await server.startAgain();
      await until(() => next.jobs[0]?.status === "in_progress");
    }
    expect(github.violations).toEqual([]);
  },
);

it("decides nothing with a private key that GitHub does not know, and goes on with the new one", async () => {
  const { github, api } = await standIn();
  const directory = temporaryDirectory();
  const file = writeGateFile(directory, github, api, RULES);
  const old = new GitHubStandIn({ hook: () => 1 });
  writeFileSync(join(directory, "app.pem"), old.privateKey);
  const server = await Restartable.start(["--http-port", "0", "--github-app", file], directory);
  port = server.httpPort as number;
  const run = github.push(REPOSITORY, [DEPLOY]);
  await until(() => server.log.includes("no token for the installation"));
  await server.end();
  writeFileSync(join(directory, "app.pem"), github.privateKey);
  await server.startAgain();
  await until(() => run.jobs[0]?.status === "in_progress");
  expect(approvals(github)).toHaveLength(1);
});

function runEvent(github: GitHubStandIn, run: number): object {
  const { payload } = github.deliveries.find(({ event }) => event === "workflow_job") ?? {};
  return { ...payload, action: "requested", workflow_run: { id: run } };
}

/** Delivers what GitHub could have signed. */
function signed({ plain }: HttpServer, payload: unknown, event = "deployment_protection_rule") {
  const body = JSON.stringify(payload);
  const signature = createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-github-event": event,
    "x-hub-signature-256": `sha256=${signature}`,
  };
  return plain.ask("/github/webhook", { method: "POST", body, headers });
}
