import { describe, expect, test } from "vitest";
import { identify } from "../../../src/ci/index.ts";
import { type Change, MACHINE, RECORDED, type Recorded, surroundings } from "./recorded.ts";

function ownerAfter(recorded: Recorded, change: Change): string {
  const machine = change.hostname === undefined ? {} : { hostname: change.hostname };
  const changed = surroundings({ ...recorded.env, ...change.env }, machine);
  return identify(changed, change.overrides).owner.id;
}

describe.each(RECORDED)("a job of $name", (recorded) => {
  test("has the owner and the metadata that its variables tell", () => {
    expect(identify(surroundings(recorded.env))).toEqual({
      system: recorded.system,
      environment: "ci",
      purpose: "automated",
      user: recorded.metadata.user_identity,
      owner: {
        id: recorded.owner,
        metadata: {
          ...recorded.metadata,
          hostname: MACHINE.hostname,
          process_id: MACHINE.pid,
          environment: "ci",
          purpose: "automated",
        },
      },
    });
  });

  test("is another owner in another run, a re-run, another leg and another job", () => {
    const changes: Change[] = [{}, ...Object.values(recorded.others)];
    const owners = changes.map((change) => ownerAfter(recorded, change));
    expect(owners[0]).toBe(recorded.owner);
    expect(new Set(owners).size, owners.join("\n")).toBe(changes.length);
  });

  test("is the same owner in a later process of the job", () => {
    const later = surroundings(recorded.env, { pid: MACHINE.pid + 1 });
    expect(identify(later).owner.id).toBe(recorded.owner);
  });

  test("names the leg that the caller knows", () => {
    const owner = (leg: string) => identify(surroundings(recorded.env), { leg }).owner.id;
    expect(owner("3")).toBe(`${recorded.owner}-3`);
    expect(owner("")).toBe(recorded.owner);
    expect(owner(" \n")).toBe(recorded.owner);
  });

  test("is not hidden by the generic variables", () => {
    const env = { CI: "true", CI_SYSTEM: "other", CI_RUN_ID: "1", ...recorded.env };
    expect(identify(surroundings(env)).owner.id).toBe(recorded.owner);
  });
});

test("every recorded job is an owner of its own", () => {
  const owners = RECORDED.map((recorded) => identify(surroundings(recorded.env)).owner.id);
  expect(new Set(owners).size).toBe(RECORDED.length);
});

describe("a job that tells too little", () => {
  test.each([
    ["CI=true alone", { CI: "true" }, "ci-unknown-ci-4711@runner-3"],
    ["CI=1 alone", { CI: "1" }, "ci-unknown-ci-4711@runner-3"],
    ["a system without a run", { CI_SYSTEM: "hudson" }, "ci-hudson-4711@runner-3"],
    ["a run without a system", { CI_RUN_ID: "99" }, "ci-unknown-ci-99"],
    ["GitHub without a run", { GITHUB_ACTIONS: "true" }, "ci-github-1-4711@runner-3"],
    [
      "GitHub without a job",
      { GITHUB_ACTIONS: "true", GITHUB_RUN_ID: "7" },
      "ci-github-7-1-4711@runner-3",
    ],
    [
      "GitLab without a job",
      { GITLAB_CI: "true", CI_PIPELINE_ID: "7" },
      "ci-gitlab-7-4711@runner-3",
    ],
    [
      "a Woodpecker that gives every pipeline the number 0",
      { CI: "woodpecker", CI_REPO: "a/b", CI_PIPELINE_NUMBER: "0", CI_STEP_NAME: "deploy" },
      "ci-woodpecker-a/b-deploy-4711@runner-3",
    ],
  ])("%s: the process is named", (_name, env: Record<string, string>, owner) => {
    const identity = identify(surroundings(env));
    expect(identity.owner.id).toBe(owner);
    expect(identity.environment).toBe("ci");
  });

  test("a run that is not known is not in the metadata", () => {
    expect(identify(surroundings({ CI: "true" })).owner.metadata).not.toHaveProperty("run_id");
  });
});

describe("what is no CI", () => {
  test.each([
    ["CI=false", { CI: "false" }],
    ["CI=0", { CI: "0" }],
    ["a blank CI", { CI: " " }],
    ["GITHUB_ACTIONS=false", { GITHUB_ACTIONS: "false", GITHUB_RUN_ID: "1", GITHUB_JOB: "x" }],
    [
      "the address of a Jenkins for its command line",
      { JENKINS_URL: "https://jenkins.example.com" },
    ],
  ])("%s", (_name, env: Record<string, string>) => {
    const identity = identify(surroundings(env));
    expect(identity.system).toBeNull();
    expect(identity.owner.id).toBe("pid-4711@runner-3");
  });
});

test("Woodpecker also sets Drone's variables, and is not taken for it", () => {
  const env = { CI: "woodpecker", DRONE: "true", DRONE_REPO: "a/b", DRONE_BUILD_NUMBER: "3" };
  expect(identify(surroundings(env)).system).toBe("woodpecker");
});

test("two releases of one build are two owners", () => {
  const env = { TF_BUILD: "True", BUILD_BUILDID: "130", RELEASE_ATTEMPTNUMBER: "1" };
  const owner = (release: string) =>
    identify(surroundings({ ...env, RELEASE_RELEASEID: release, RELEASE_DEPLOYMENTID: release }))
      .owner.id;
  expect(owner("118")).not.toBe(owner("119"));
});
