import { describe, expect, test } from "vitest";
import { runOf } from "../../../src/ci/run.ts";
import { testWhere } from "../../helpers/platform.ts";
import { RECORDED } from "./recorded.ts";

/** The addresses of the servers, which the recorded jobs leave out. */
const SERVERS = {
  CI_SERVER_URL: "https://gitlab.example.com",
  CI_SYSTEM_URL: "https://woodpecker.example.com",
  DRONE_SYSTEM_HOST: "drone.example.com",
  JENKINS_URL: "https://admin:s3cret@jenkins.example.com/ci/",
  SYSTEM_TEAMFOUNDATIONCOLLECTIONURI: "https://dev.azure.com/fabrikam/",
  SYSTEM_TEAMPROJECT: "Fabrikam Fiber",
};

const IDS: Record<string, string | null> = {
  "GitHub Actions": "github.com/acme/shop/runs/1658821493/attempts/2",
  GitLab: "gitlab.example.com/acme/shop/pipelines/3456",
  CircleCI: "circleci/workflows/5aa7c894-c8c0-435b-bc17-13923b90f163",
  Buildkite: "buildkite/builds/4735ba57-80d0-46e2-8fa0-b28223a86586",
  "Azure Pipelines": "dev.azure.com/fabrikam/builds/456",
  "a classic release of Azure Pipelines": "dev.azure.com/fabrikam/Fabrikam Fiber/releases/118",
  "Bitbucket Pipelines": "bitbucket.org/acme/shop/pipelines/23",
  Travis: "travis/builds/46812085",
  Woodpecker: "woodpecker.example.com/john-doe/my-repo/pipelines/8",
  Drone: "drone.example.com/octocat/hello-world/builds/42",
  // A build chain has no id that its builds are told.
  TeamCity: null,
  Jenkins: "jenkins.example.com/ci/acme/shop/main/153",
  "a system that speaks the lock policy's variables": "pipeline-gh/456",
  Gitea: "git.example.com/acme/shop/runs/12/attempts/1",
  Forgejo: "git.example.com/acme/shop/runs/12/attempts/1",
};

describe.each(RECORDED)("the run of a job of $name", (recorded) => {
  const { env, others, name } = recorded;
  const idIn = (more: Readonly<Record<string, string>> = {}) =>
    runOf({ ...env, ...SERVERS, ...more })?.id ?? null;

  test("has an id that its other jobs and legs share", () => {
    expect(idIn()).toBe(IDS[name]);
    // The policy's variables name jobs by the run's id alone: whoever sets them decides.
    if (recorded.system !== "pipeline-gh") expect(idIn(others.job.env)).toBe(idIn());
    expect(idIn(others.leg.env)).toBe(idIn());
  });

  testWhere(IDS[name] !== null, "a CI system that names its runs")("is not another run's", () => {
    expect(idIn(others.run.env)).not.toBe(idIn());
  });
});

const GITHUB = RECORDED.find(({ name }) => name === "GitHub Actions")?.env ?? {};
const GITEA = RECORDED.find(({ name }) => name === "Gitea")?.env ?? {};

test("another attempt of a workflow's run is another run", () => {
  expect(runOf({ ...GITHUB, GITHUB_RUN_ATTEMPT: "3" })?.id).toBe(
    "github.com/acme/shop/runs/1658821493/attempts/3",
  );
});

test("a run is asked about where its forge has an API that is known", () => {
  const run = { repository: "acme/shop", run: "1658821493", attempt: "2" };
  expect(runOf(GITHUB)?.forge).toEqual({ api: "https://api.github.com", ...run });
  const server = { GITHUB_SERVER_URL: "https://ghe.acme.com" };
  const api = { GITHUB_API_URL: "https://ghe.acme.com/api/v3/" };
  expect(runOf({ ...GITHUB, ...server, ...api })?.forge).toEqual({
    api: "https://ghe.acme.com/api/v3",
    ...run,
  });
  // Never github.com about another server's run.
  expect(runOf({ ...GITHUB, ...server })).toMatchObject({
    id: "ghe.acme.com/acme/shop/runs/1658821493/attempts/2",
    forge: null,
  });
  expect(runOf(GITEA)?.forge).toBeNull();
  const gitea = { ...GITEA, GITHUB_API_URL: "https://git.example.com/api/v1" };
  expect(runOf(gitea)?.forge).toMatchObject({ api: "https://git.example.com/api/v1", run: "12" });
  const gitlab = RECORDED.find(({ name }) => name === "GitLab")?.env;
  expect(runOf({ ...gitlab, ...SERVERS })?.forge).toBeNull();
});

test("no run is known where two would have one id", () => {
  expect(runOf({})).toBeNull();
  expect(runOf({ CI: "true" })).toBeNull();
  expect(runOf({ CI: "true", CI_RUN_ID: "7" })).toBeNull();
  expect(runOf({ ...GITHUB, GITHUB_RUN_ID: "" })).toBeNull();
  // act gives every run the number 1.
  expect(runOf({ ...GITHUB, ACT: "true", GITHUB_RUN_ID: "1" })).toBeNull();
  expect(runOf({ ...GITHUB, ACT: "true" })).not.toBeNull();
});

test("an id is as long as a store takes it, and two that differ stay different", () => {
  const ids = ["1", "2"].map(
    (run) => runOf({ ...GITHUB, GITHUB_REPOSITORY: "a".repeat(900), GITHUB_RUN_ID: run })?.id ?? "",
  );
  expect(ids.map(({ length }) => length)).toEqual([500, 500]);
  expect(ids[0]).not.toBe(ids[1]);
});
