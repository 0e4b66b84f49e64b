import { describe, expect, onTestFinished, test } from "vitest";
import { openDocumentStore } from "../../../src/stores/document/store.ts";
import { openGitRegister } from "../../../src/stores/engines/git/register.ts";
import { program, startCli } from "../../helpers/cli/cli.ts";
import { ForgeApi } from "../../helpers/forge-api.ts";
import { type GitServer, startGitServer } from "../../helpers/git-server.ts";

/** A question to a forge that does not answer ends after so long by itself, and a look has four. */
const QUESTION_MS = 10_000;
const SLOTS = 4;

/** A key whose slots are held by jobs of a forge that takes questions and answers none. */
async function heldByJobs(): Promise<{ git: GitServer; env: NodeJS.ProcessEnv; api: ForgeApi }> {
  const git = await startGitServer();
  onTestFinished(() => git.close());
  const api = await ForgeApi.start();
  api.fault = "silent";
  const register = openGitRegister(git.url, {}, { env: {} });
  const store = openDocumentStore(register);
  for (let slot = 0; slot < SLOTS; slot++) {
    const of = { api: api.base, repository: "acme/app", run: `${slot + 1}`, attempt: "1" };
    const life = { kind: "job", ...of, job: `${slot + 1}`, runner: null } as const;
    await store.claim({ key: "k", owner: { id: `job-${slot}`, metadata: {} }, slots: SLOTS, life });
  }
  await store.close();
  return { git, api, env: { GITHUB_API_URL: api.base } };
}

async function lineOf(git: GitServer): Promise<unknown[]> {
  const text = await git.git("log", "-1", "--format=%B", "refs/holdfast/v1/k");
  return JSON.parse(text).line;
}

function runIn(git: GitServer, env: NodeJS.ProcessEnv, timeout: string) {
  const options = ["--slots", String(SLOTS), "--timeout", timeout, "--store", git.url];
  return startCli(["run", "k", ...options, "--", ...program("")], { env });
}

describe("a forge that takes questions and answers none", () => {
  test("the timeout of a claim ends it when it is over, and the line is left", async () => {
    const { git, env } = await heldByJobs();
    const began = performance.now();
    const { code } = await runIn(git, env, "4s").ended;
    expect(code).toBe(124);
    expect(performance.now() - began).toBeGreaterThan(3_900);
    expect(performance.now() - began).toBeLessThan(4_000 + QUESTION_MS);
    expect(await lineOf(git)).toEqual([]);
  }, 90_000);

  test("nor does the question about the claim's own job prolong it", async () => {
    const { git, env } = await heldByJobs();
    const [server, repository] = [git.origin, "repo"];
    const job = {
      ...env,
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: server,
      GITHUB_REPOSITORY: repository,
      GITHUB_RUN_ID: "9",
      RUNNER_NAME: "r",
    };
    const began = performance.now();
    const { code } = await runIn(git, job, "4s").ended;
    expect(code).toBe(124);
    expect(performance.now() - began).toBeLessThan(4_000 + QUESTION_MS);
    expect(await lineOf(git)).toEqual([]);
  }, 90_000);

  test("a signal ends a claim that waits for an answer, and the line is left", async () => {
    const { git, env, api } = await heldByJobs();
    const running = runIn(git, env, "10m");
    await expect.poll(() => api.asked, { timeout: 60_000 }).toBeGreaterThan(0);
    const began = performance.now();
    running.process.kill("SIGTERM");
    expect((await running.ended).code).toBe(128 + 15);
    expect(performance.now() - began).toBeLessThan(QUESTION_MS);
    expect(await lineOf(git)).toEqual([]);
  }, 90_000);
});

describe("a git server that takes a push and does not answer", () => {
  test("the timeout of a claim ends it soon after it is over", async () => {
    const git = await startGitServer();
    onTestFinished(() => git.close());
    git.fault = (kind) => (kind === "push" ? { kind: "delay", after: 60_000 } : undefined);
    const store = openDocumentStore(openGitRegister(git.url, {}, { env: {} }));
    const began = performance.now();
    const claimed = store.claim({ key: "k", owner: { id: "a", metadata: {} } }, { timeout: 2_000 });
    await expect(claimed).rejects.toMatchObject({ code: "TIMEOUT" });
    // 2 s more for the push that it has made, and 10 s to leave the line; the push itself had 15 s.
    expect(performance.now() - began).toBeLessThan(20_000);
    git.fault = () => undefined;
    await store.close();
    expect(await lineOf(git)).toEqual([]);
  }, 90_000);
});
