import { jsonObject } from "../../lock/text.ts";
import { repositoryOf } from "../text.ts";
import { type CiRun, type Detector, host, isOn, type Part, type Read } from "./detector.ts";
import { workflowRun } from "./hosted.ts";

/** Forgejo's runner sets Gitea's mark as well: asked before `gitea`. */
export const forgejo: Detector = (env) =>
  isOn(env("FORGEJO_ACTIONS")) ? forge("forgejo", env) : null;

/** Gitea's runner sets all of GitHub's variables: asked before `github`. */
export const gitea: Detector = (env) => (isOn(env("GITEA_ACTIONS")) ? forge("gitea", env) : null);

/**
 * The legs of a matrix differ in the token's claims alone. Addresses have the run's number; Gitea has
 * its id there since 1.26, and takes the number where that is said.
 */
function forge(system: string, env: Read): CiRun {
  const number = env("GITHUB_RUN_NUMBER");
  return {
    ...workflowRun(system, env, number && `${number}?by_index=1`),
    within: [claimedJob(env("ACTIONS_RUNTIME_TOKEN"))],
  };
}

/** The job's number in a runner's token, which each leg of a matrix has for itself. Nothing else of it is used. */
export function claimedJob(token: Part): Part {
  const claims = jsonObject(Buffer.from(token?.split(".")[1] ?? "", "base64url").toString());
  return Number.isSafeInteger(claims?.JobID) ? String(claims?.JobID) : undefined;
}

/**
 * A restart is a new pipeline. The legs of a matrix are workflows of one name and several numbers;
 * steps may run side by side. Sets Drone's variables too: asked before `drone`.
 */
export const woodpecker: Detector = (env) => {
  if (env("CI") !== "woodpecker" && env("CI_SYSTEM_NAME") !== "woodpecker") return null;
  // Some servers give every pipeline the number 0.
  const number = env("CI_PIPELINE_NUMBER") === "0" ? undefined : env("CI_PIPELINE_NUMBER");
  return {
    system: "woodpecker",
    run: [env("CI_REPO"), number],
    within: [env("CI_WORKFLOW_NUMBER"), env("CI_WORKFLOW_NAME"), env("CI_STEP_NAME")],
    whole: [host(env("CI_SYSTEM_URL")), env("CI_REPO"), "pipelines", number],
    run_id: number,
    job: env("CI_STEP_NAME"),
    workflow: env("CI_WORKFLOW_NAME"),
    repository: env("CI_REPO"),
    ref: env("CI_COMMIT_REF"),
    sha: env("CI_COMMIT_SHA"),
    actor: env("CI_PIPELINE_AUTHOR") ?? env("CI_COMMIT_AUTHOR"),
    run_url: env("CI_PIPELINE_URL"),
  };
};

/** A restart is a new build; a matrix is written as several stages; steps may run side by side. */
export const drone: Detector = (env) => {
  if (!isOn(env("DRONE"))) return null;
  const trigger = env("DRONE_BUILD_TRIGGER");
  return {
    system: "drone",
    run: [
      env("DRONE_REPO"),
      env("DRONE_BUILD_NUMBER"),
      env("DRONE_STAGE_NUMBER"),
      env("DRONE_STEP_NUMBER"),
    ],
    within: [env("DRONE_STAGE_NAME"), env("DRONE_STEP_NAME")],
    whole: [env("DRONE_SYSTEM_HOST"), env("DRONE_REPO"), "builds", env("DRONE_BUILD_NUMBER")],
    run_id: env("DRONE_BUILD_NUMBER"),
    job: env("DRONE_STEP_NAME"),
    workflow: env("DRONE_STAGE_NAME"),
    repository: env("DRONE_REPO"),
    ref: env("DRONE_COMMIT_REF"),
    sha: env("DRONE_COMMIT_SHA"),
    actor: trigger?.startsWith("@") === false ? trigger : env("DRONE_COMMIT_AUTHOR"),
    run_url: env("DRONE_BUILD_LINK"),
  };
};

/**
 * A re-run is a new build, and parallel builds are configurations of their own. The build number is
 * free text that may come again; the unique id is only in the address, where the server tells that.
 */
export const teamcity: Detector = (env) => {
  if (env("TEAMCITY_VERSION") === undefined) return null;
  const [, query, segment] = /buildId=(\d+)|\/(\d+)(?:[/?#]|$)/.exec(env("BUILD_URL") ?? "") ?? [];
  return {
    system: "teamcity",
    run: [env("TEAMCITY_PROJECT_NAME"), env("TEAMCITY_BUILDCONF_NAME"), env("BUILD_NUMBER")],
    within: [query ?? segment],
    run_id: env("BUILD_NUMBER"),
    job: env("TEAMCITY_BUILDCONF_NAME"),
    workflow: env("TEAMCITY_PROJECT_NAME"),
    sha: env("BUILD_VCS_NUMBER"),
    run_url: env("BUILD_URL"),
  };
};

/**
 * A re-run is a new build. Parallel stages and matrix cells have stage names of their own; branches
 * of a scripted pipeline may have none, but hold different executors.
 */
export const jenkins: Detector = (env) => {
  // JENKINS_URL alone is also set where a program only talks to a Jenkins.
  if (env("BUILD_NUMBER") === undefined) return null;
  if (env("JENKINS_URL") === undefined && !env("BUILD_TAG")?.startsWith("jenkins-")) return null;
  return {
    system: "jenkins",
    run: [env("JOB_NAME"), env("BUILD_NUMBER")],
    within: [env("STAGE_NAME"), env("NODE_NAME"), env("EXECUTOR_NUMBER")],
    whole: [host(env("JENKINS_URL")), env("JOB_NAME"), env("BUILD_NUMBER")],
    run_id: env("BUILD_NUMBER"),
    job: env("STAGE_NAME") ?? env("JOB_NAME"),
    workflow: env("JOB_NAME"),
    repository: repositoryOf(env("GIT_URL")),
    ref: env("BRANCH_NAME") ?? env("GIT_BRANCH"),
    sha: env("GIT_COMMIT"),
    actor: env("BUILD_USER_ID"),
    run_url: env("BUILD_URL"),
  };
};
