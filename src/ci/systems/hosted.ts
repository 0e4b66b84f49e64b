import { repositoryOf } from "../text.ts";
import {
  attemptAfter,
  bare,
  type CiRun,
  type Detector,
  host,
  isOn,
  type Part,
  path,
  type Read,
} from "./detector.ts";

/** The environment does not tell the legs of a matrix apart: the caller has to. */
export const github: Detector = (env) =>
  isOn(env("GITHUB_ACTIONS")) ? workflowRun("github", env, env("GITHUB_RUN_ID")) : null;

/** A job with GitHub's variables, as other forges set them too. `page`: the end of its run's address. */
export function workflowRun(system: string, env: Read, page: Part): CiRun {
  const attempt = env("GITHUB_RUN_ATTEMPT") ?? "1";
  return {
    system,
    run: [env("GITHUB_RUN_ID"), attempt, env("GITHUB_JOB")],
    whole: wholeWorkflowRun(env, attempt),
    run_id: env("GITHUB_RUN_ID"),
    run_number: env("GITHUB_RUN_NUMBER"),
    run_attempt: attempt,
    job: env("GITHUB_JOB"),
    workflow: env("GITHUB_WORKFLOW"),
    repository: env("GITHUB_REPOSITORY"),
    ref: env("GITHUB_REF"),
    sha: env("GITHUB_SHA"),
    // The person who pressed re-run can be asked; GITHUB_ACTOR is still the one who started the first attempt.
    actor: env("GITHUB_TRIGGERING_ACTOR") ?? env("GITHUB_ACTOR"),
    run_url: path(env("GITHUB_SERVER_URL"), env("GITHUB_REPOSITORY"), "actions/runs", page),
  };
}

/** The id of a whole run, on GitHub and where its variables are used. */
function wholeWorkflowRun(env: Read, attempt: Part): readonly Part[] {
  const id = env("GITHUB_RUN_ID");
  // act gives every run the number 1: two runs would share one lock.
  const known = isOn(env("ACT")) && id === "1" ? undefined : id;
  const server = host(env("GITHUB_SERVER_URL")) ?? "github.com";
  return [server, env("GITHUB_REPOSITORY"), "runs", known, "attempts", attempt];
}

/** A retry has a new job id, and so has each leg of `parallel`; the job's name contains the leg's name. */
export const gitlab: Detector = (env) => {
  if (!isOn(env("GITLAB_CI"))) return null;
  return {
    system: "gitlab",
    run: [env("CI_PIPELINE_ID"), env("CI_JOB_ID")],
    within: [env("CI_JOB_NAME")],
    // A retried job belongs to the same pipeline.
    whole: [host(env("CI_SERVER_URL")), env("CI_PROJECT_PATH"), "pipelines", env("CI_PIPELINE_ID")],
    run_id: env("CI_PIPELINE_ID"),
    run_number: env("CI_PIPELINE_IID"),
    run_attempt: attemptAfter(env("CI_JOB_RETRY_COUNT")),
    job: env("CI_JOB_NAME"),
    workflow: env("CI_PIPELINE_NAME"),
    repository: env("CI_PROJECT_PATH"),
    ref: env("CI_COMMIT_REF_NAME"),
    sha: env("CI_COMMIT_SHA"),
    actor: env("GITLAB_USER_LOGIN"),
    run_url: env("CI_JOB_URL") ?? env("CI_PIPELINE_URL"),
  };
};

/** A re-run is a new workflow with new job numbers; only parallel runs share both. */
export const circleci: Detector = (env) => {
  if (!isOn(env("CIRCLECI"))) return null;
  return {
    system: "circleci",
    run: [env("CIRCLE_WORKFLOW_ID"), env("CIRCLE_BUILD_NUM")],
    within: [env("CIRCLE_JOB"), env("CIRCLE_NODE_INDEX")],
    whole: ["circleci", "workflows", env("CIRCLE_WORKFLOW_ID")],
    run_id: env("CIRCLE_WORKFLOW_ID"),
    run_number: env("CIRCLE_BUILD_NUM"),
    job: env("CIRCLE_JOB"),
    repository: path(env("CIRCLE_PROJECT_USERNAME"), env("CIRCLE_PROJECT_REPONAME")),
    ref: env("CIRCLE_TAG") ?? env("CIRCLE_BRANCH"),
    sha: env("CIRCLE_SHA1"),
    actor: env("CIRCLE_USERNAME"),
    run_url: env("CIRCLE_BUILD_URL"),
  };
};

/** A retried job is a new job with an id of its own, and so is each parallel one. */
export const buildkite: Detector = (env) => {
  if (!isOn(env("BUILDKITE"))) return null;
  const attempt = attemptAfter(env("BUILDKITE_RETRY_COUNT")) ?? "1";
  return {
    system: "buildkite",
    run: [
      env("BUILDKITE_PIPELINE_SLUG"),
      env("BUILDKITE_BUILD_NUMBER"),
      attempt,
      env("BUILDKITE_JOB_ID"),
    ],
    whole: ["buildkite", "builds", env("BUILDKITE_BUILD_ID")],
    run_id: env("BUILDKITE_BUILD_NUMBER"),
    run_attempt: attempt,
    job: env("BUILDKITE_STEP_KEY") ?? env("BUILDKITE_LABEL"),
    workflow: env("BUILDKITE_PIPELINE_SLUG"),
    repository: repositoryOf(env("BUILDKITE_REPO")),
    ref: env("BUILDKITE_TAG") ?? env("BUILDKITE_BRANCH"),
    sha: env("BUILDKITE_COMMIT"),
    actor: env("BUILDKITE_BUILD_CREATOR"),
    run_url: env("BUILDKITE_BUILD_URL"),
  };
};

/**
 * A classic release carries the build number of what it deploys: two releases of one build must not
 * be taken for one. Asked before `azure`.
 */
export const azureRelease: Detector = (env) => {
  if (!isOn(env("TF_BUILD")) || env("RELEASE_RELEASEID") === undefined) return null;
  return {
    system: "azure",
    run: [
      "release",
      env("RELEASE_RELEASEID"),
      env("RELEASE_ATTEMPTNUMBER"),
      env("RELEASE_DEPLOYMENTID"),
    ],
    within: [
      env("RELEASE_ENVIRONMENTNAME"),
      env("AGENT_JOBNAME"),
      env("SYSTEM_JOBPOSITIONINPHASE"),
    ],
    whole: [
      host(env("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI")),
      env("SYSTEM_TEAMPROJECT"),
      "releases",
      env("RELEASE_RELEASEID"),
    ],
    run_id: env("RELEASE_RELEASEID"),
    run_attempt: env("RELEASE_ATTEMPTNUMBER"),
    job: env("RELEASE_ENVIRONMENTNAME"),
    workflow: env("RELEASE_DEFINITIONNAME"),
    repository: env("BUILD_REPOSITORY_NAME"),
    ref: env("BUILD_SOURCEBRANCH"),
    sha: env("BUILD_SOURCEVERSION"),
    actor: env("RELEASE_DEPLOYMENT_REQUESTEDFOR") ?? env("RELEASE_REQUESTEDFOR"),
    run_url: env("RELEASE_RELEASEWEBURL"),
  };
};

/** SYSTEM_JOBID does not help: it is the same in every run of a pipeline. */
export const azure: Detector = (env) => {
  if (!isOn(env("TF_BUILD"))) return null;
  const build = env("BUILD_BUILDID");
  const project = env("SYSTEM_TEAMPROJECT");
  const names = [env("SYSTEM_STAGENAME"), env("SYSTEM_PHASENAME"), env("SYSTEM_JOBNAME")];
  return {
    system: "azure",
    run: [build, env("SYSTEM_STAGEATTEMPT") ?? "1", env("SYSTEM_JOBATTEMPT") ?? "1"],
    within: [...names.filter((name) => name !== "__default"), env("SYSTEM_JOBPOSITIONINPHASE")],
    // Attempts are counted for each stage: all of them belong to the same run.
    whole: [host(env("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI")), "builds", build],
    run_id: build,
    run_attempt: env("SYSTEM_JOBATTEMPT") ?? env("SYSTEM_STAGEATTEMPT"),
    job: env("SYSTEM_JOBDISPLAYNAME") ?? env("AGENT_JOBNAME"),
    workflow: env("BUILD_DEFINITIONNAME"),
    repository: env("BUILD_REPOSITORY_NAME"),
    ref: env("BUILD_SOURCEBRANCH"),
    sha: env("BUILD_SOURCEVERSION"),
    actor: env("BUILD_REQUESTEDFOR"),
    run_url: path(
      env("SYSTEM_TEAMFOUNDATIONCOLLECTIONURI"),
      project && encodeURIComponent(project),
      build && `_build/results?buildId=${encodeURIComponent(build)}`,
    ),
  };
};

/** A re-run of failed steps keeps the build number and counts the step's runs. Numbers are per repository. */
export const bitbucket: Detector = (env) => {
  const build = env("BITBUCKET_BUILD_NUMBER");
  const repository = env("BITBUCKET_REPO_FULL_NAME");
  if (build === undefined) return null;
  return {
    system: "bitbucket",
    run: [
      repository,
      build,
      env("BITBUCKET_STEP_RUN_NUMBER") ?? "1",
      bare(env("BITBUCKET_STEP_UUID")),
    ],
    within: [env("BITBUCKET_PARALLEL_STEP")],
    whole: ["bitbucket.org", repository, "pipelines", build],
    run_id: build,
    run_attempt: env("BITBUCKET_STEP_RUN_NUMBER"),
    repository,
    ref: env("BITBUCKET_BRANCH") ?? env("BITBUCKET_TAG"),
    sha: env("BITBUCKET_COMMIT"),
    actor: bare(env("BITBUCKET_STEP_TRIGGERER_UUID")),
    run_url: path("https://bitbucket.org", repository, "pipelines/results", build),
  };
};

/** A restarted job keeps all of its variables; but it gets a new machine. */
export const travis: Detector = (env, hostname) => {
  if (!isOn(env("TRAVIS"))) return null;
  return {
    system: "travis",
    run: [env("TRAVIS_BUILD_ID"), env("TRAVIS_JOB_ID"), hostname],
    whole: ["travis", "builds", env("TRAVIS_BUILD_ID")],
    run_id: env("TRAVIS_BUILD_ID"),
    run_number: env("TRAVIS_BUILD_NUMBER"),
    job: env("TRAVIS_JOB_NAME") ?? env("TRAVIS_JOB_NUMBER"),
    repository: env("TRAVIS_REPO_SLUG"),
    ref: env("TRAVIS_TAG") ?? env("TRAVIS_BRANCH"),
    sha: env("TRAVIS_COMMIT"),
    run_url: env("TRAVIS_JOB_WEB_URL") ?? env("TRAVIS_BUILD_WEB_URL"),
  };
};
