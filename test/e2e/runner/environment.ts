import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { ActionStep, JobDescription, Step } from "./job.ts";
import { type Context, interpolate } from "./language/expression.ts";
import type { Manifest } from "./language/manifest.ts";

const SERVER = "https://github.example";

/** What the steps of a job hand on to each other, and what each of them finds. */
export class JobEnvironment {
  readonly workspace: string;
  readonly temp: string;
  readonly #job: JobDescription;
  readonly #added: Record<string, string> = {};
  readonly #paths: string[] = [];
  readonly #outputs: Record<string, { outputs: Readonly<Record<string, string>> }> = {};

  constructor(job: JobDescription) {
    this.#job = job;
    this.workspace = join(job.directory, "workspace");
    this.temp = join(job.directory, "_temp");
    rmSync(this.temp, { recursive: true, force: true });
    for (const directory of [this.workspace, this.temp]) mkdirSync(directory, { recursive: true });
    if (job.runner === "gitea") return;
    mkdirSync(join(this.temp, "_github_workflow"));
    writeFileSync(join(this.temp, "_github_workflow", "event.json"), "{}");
  }

  /** What Gitea's runner does when a job is over. */
  remove(): void {
    rmSync(this.temp, { recursive: true, force: true });
  }

  addVariables(variables: Readonly<Record<string, string>>): void {
    Object.assign(this.#added, variables);
  }

  /** The last entry comes first. */
  addPaths(paths: readonly string[]): void {
    for (const path of paths) this.#paths.unshift(path);
  }

  setOutputs(step: string, outputs: Readonly<Record<string, string>>): void {
    this.#outputs[step] = { outputs: { ...this.#outputs[step]?.outputs, ...outputs } };
  }

  context(status: { failed: boolean; cancelled: boolean }): Context {
    const { repository, runId, attempt, name, leg, env, runner, token, checkRun, contexts } =
      this.#job;
    return {
      ...status,
      values: {
        github: {
          repository,
          run_id: runId,
          run_attempt: attempt,
          job: name,
          actor: "octocat",
          token: token ?? "",
        },
        job: { check_run_id: checkRun ?? "" },
        // Gitea leaves it empty.
        strategy:
          runner === "gitea" ? {} : { "job-index": leg?.index ?? 0, "job-total": leg?.total ?? 1 },
        matrix: leg?.matrix ?? null,
        ...contexts,
        env: { ...env, ...this.#added },
        steps: this.#outputs,
      },
    };
  }

  /** All variables of a step, without those of its files, inputs and state. */
  variables(step: Step, context: Context): Record<string, string> {
    const { trackingId, path, env, runner } = this.#job;
    const read = (variables: Readonly<Record<string, string>> = {}) =>
      Object.fromEntries(
        Object.entries(variables).map(([name, value]) => [name, interpolate(value, context)]),
      );
    return {
      ...this.#runnerVariables(),
      ...(runner === "gitea" ? this.#giteaVariables() : {}),
      ...read(env),
      ...this.#added,
      ...read(step.env),
      PATH: [...this.#paths, path].join(delimiter),
      // Gitea's runner has none. Here it has, for the tests to find its processes: nothing reads it.
      RUNNER_TRACKING_ID: trackingId,
    };
  }

  /** The token's claims are all that tells the legs of a matrix apart. */
  #giteaVariables(): Record<string, string> {
    const { runId, leg } = this.#job;
    const claims = { TaskID: 90, RunID: Number(runId), JobID: 31 + (leg?.index ?? 0) };
    const part = Buffer.from(JSON.stringify(claims)).toString("base64url");
    return { GITEA_ACTIONS: "true", ACTIONS_RUNTIME_TOKEN: `e30.${part}.c2ln` };
  }

  #runnerVariables(): Record<string, string> {
    const { name, runId, attempt, repository, environment, directory } = this.#job;
    return {
      CI: "true",
      HOME: directory,
      LANG: "C.UTF-8",
      GITHUB_ACTIONS: "true",
      GITHUB_ACTOR: "octocat",
      GITHUB_TRIGGERING_ACTOR: "octocat",
      GITHUB_EVENT_NAME: "push",
      GITHUB_JOB: name,
      GITHUB_REF: "refs/heads/main",
      GITHUB_REPOSITORY: repository,
      GITHUB_RUN_ATTEMPT: attempt,
      GITHUB_RUN_ID: runId,
      GITHUB_SERVER_URL: SERVER,
      GITHUB_SHA: "8f51c3d1a1f3d2f0a5a3c1b5e2f6b9d7c4e0a1b2",
      GITHUB_WORKFLOW: "Deploy",
      GITHUB_WORKSPACE: this.workspace,
      RUNNER_ENVIRONMENT: environment,
      RUNNER_NAME: "stand-in",
      RUNNER_OS: "Linux",
      RUNNER_TEMP: this.temp,
    };
  }
}

/** Evaluated anew for each stage, as the runner does. */
export function inputVariables(
  step: ActionStep,
  manifest: Manifest,
  context: Context,
): Record<string, string> {
  for (const name of Object.keys(step.with ?? {})) {
    if (!(name in manifest.inputs)) throw new Error(`action.yml has no input ${name}`);
  }
  const inputs = { ...manifest.inputs, ...step.with };
  return Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [
      `INPUT_${name.replaceAll(" ", "_").toUpperCase()}`,
      interpolate(value, context),
    ]),
  );
}
