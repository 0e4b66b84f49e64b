import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../helpers/sources.ts";

/** How each CI system runs a job around the project's own scripts, as a shell script of the test's. */
export interface System {
  readonly name: string;
  /** The variables that the system gives a job. */
  env(job: number): Record<string, string>;
  /** The settings of the lock, as this system hands them to the scripts. */
  settings(lock: Lock): Record<string, string>;
  /** The whole job: the lock, the command in a shell of its own, the release. */
  script(directory: string, command: string): string;
  /** Whether the lock ends with the job's process, or else with its ttl. */
  readonly isWatched: boolean;
}

export interface Lock {
  readonly key: string;
  readonly timeout: string;
  readonly store?: string;
}

export function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

/** The text of a block `- |` or `name: |`, which follows a line, without its indentation. */
export function blockAfter(text: string, line: string): string {
  const lines = text.split("\n");
  const from = lines.findIndex((each) => each.trim() === line);
  if (from === -1) throw new Error(`there is no ${line}`);
  const start = lines.findIndex((each, index) => index > from && /\|$/.test(each)) + 1;
  const indent = /^ */.exec(lines[start] ?? "")?.[0] ?? "";
  const rest = lines.slice(start);
  const end = rest.findIndex((each) => each.trim() !== "" && !each.startsWith(indent));
  return (end === -1 ? rest : rest.slice(0, end))
    .map((each) => each.slice(indent.length))
    .join("\n");
}

const lockVariables = ({ key, timeout, store = "" }: Lock) => ({
  HOLDFAST_LOCK_KEY: key,
  HOLDFAST_LOCK_TIMEOUT: timeout,
  HOLDFAST_LOCK_STORE: store,
  HOLDFAST_LOCK_SLOTS: "1",
  HOLDFAST_LOCK_TTL: "1h",
});

/** GitLab's runner has one shell evaluate before_script and script, with an empty input. */
export const gitlab: System = {
  name: "gitlab",
  isWatched: true,
  env: (job) => ({
    CI: "true",
    GITLAB_CI: "true",
    CI_PIPELINE_ID: "9001",
    CI_JOB_ID: String(job),
    CI_JOB_NAME: "deploy",
  }),
  settings: lockVariables,
  script: (directory, command) => {
    const before = blockAfter(read("templates/lock.yml"), "before_script:");
    const file = join(directory, "script");
    writeFileSync(file, `${before}\n${command}\n`);
    return `set -eo pipefail\nset +o noclobber\n: | eval "$(cat '${file}')"\nexit 0`;
  },
};

/** Jenkins runs vars/holdfast.groovy, in which each sh step is a shell of its own. */
const jenkins: System = {
  name: "jenkins",
  isWatched: false,
  env: (job) => ({
    JENKINS_URL: "https://jenkins.example/",
    JOB_NAME: "deploy",
    BUILD_NUMBER: String(job),
    NODE_NAME: "agent-1",
    EXECUTOR_NUMBER: "0",
  }),
  settings: lockVariables,
  script: (directory, command) => {
    const resources = join(ROOT, "integrations/jenkins/resources/holdfast");
    const file = join(directory, "step.sh");
    writeFileSync(file, command);
    return `
      HOLDFAST_LEASE=$(sh '${resources}/acquire.sh') || exit 1
      export HOLDFAST_LEASE
      result=0
      sh -xe '${file}' || result=$?
      sh '${resources}/release.sh' || result=$?
      exit $result`;
  },
};

/** CircleCI runs each step in a bash that reads BASH_ENV; unlock has when: always. */
const circleci: System = {
  name: "circleci",
  isWatched: false,
  env: (job) => ({
    CI: "true",
    CIRCLECI: "true",
    CIRCLE_WORKFLOW_ID: "8f1c",
    CIRCLE_BUILD_NUM: String(job),
    CIRCLE_JOB: "deploy",
    CIRCLE_NODE_INDEX: "0",
  }),
  settings: lockVariables,
  script: (directory, command) => {
    const scripts = join(ROOT, "integrations/circleci/scripts");
    const file = join(directory, "step.sh");
    writeFileSync(file, command);
    return `
      export BASH_ENV='${directory}/bash-env'
      touch "$BASH_ENV"
      result=0
      bash -eo pipefail '${scripts}/lock.sh' && bash -eo pipefail '${file}' || result=$?
      bash -eo pipefail '${scripts}/unlock.sh' || result=$?
      exit $result`;
  },
};

/** Buildkite's agent has a bash read each hook, keeps what it exports, and always runs pre-exit. */
const buildkite: System = {
  name: "buildkite",
  isWatched: true,
  env: (job) => ({
    CI: "true",
    BUILDKITE: "true",
    BUILDKITE_PIPELINE_SLUG: "shop",
    BUILDKITE_BUILD_NUMBER: "12",
    BUILDKITE_JOB_ID: String(job),
    BUILDKITE_RETRY_COUNT: "0",
  }),
  settings: ({ key, timeout, store = "" }) => ({
    BUILDKITE_PLUGIN_HOLDFAST_KEY: key,
    BUILDKITE_PLUGIN_HOLDFAST_TIMEOUT: timeout,
    ...(store === "" ? {} : { BUILDKITE_PLUGIN_HOLDFAST_STORE: store }),
  }),
  script: (directory, command) => {
    const hooks = join(ROOT, "integrations/holdfast-buildkite-plugin/hooks");
    const file = join(directory, "command");
    const env = join(directory, "env");
    writeFileSync(file, command);
    return `
      result=0
      bash -c '. "$0"; export -p > "$1"' '${hooks}/pre-command' '${env}' || result=$?
      [ ! -f '${env}' ] || . '${env}'
      [ $result -ne 0 ] || bash -e '${file}' || result=$?
      bash -c '. "$0"' '${hooks}/pre-exit'
      exit $result`;
  },
};

export const SYSTEMS: readonly System[] = [gitlab, jenkins, circleci, buildkite];
