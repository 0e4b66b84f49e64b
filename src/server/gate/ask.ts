import { fieldsOf, type GitHub, type GitHubAnswer, GitHubTrouble } from "./github.ts";
import type { Pass } from "./pass.ts";

/** What GitHub says of a run; null: it is not there, or the App may not see it any more. */
export interface RunState {
  readonly attempt: number;
  readonly isCompleted: boolean;
  /** When this attempt began, milliseconds. */
  readonly startedAt: number;
  readonly workflow: string | null;
}

/** A job, or with null for it a whole attempt of a run. */
export interface Whereabouts {
  readonly repository: string;
  readonly run: number;
  readonly attempt: number;
  readonly job: number | null;
}

/** States of a deployment after which nothing of it runs. */
const OVER = ["success", "failure", "error", "inactive"];
/** Jobs of one attempt that are looked through; of a larger run the rest counts as unfinished. */
const PAGES_LIMIT = 10;
/** So long a job must be over, as in src/ci/alive.ts: its last step may still be releasing the lock. */
const JOB_MARGIN_MS = 30_000;

type Where = Pick<Pass, "installation" | "repository" | "run" | "environment" | "attempt">;

/** The questions that the gate asks of GitHub about a run, or a job of it. */
export class Questions {
  readonly #github: GitHub;

  constructor(github: GitHub) {
    this.#github = github;
  }

  async run({ installation, repository, run }: Where): Promise<RunState | null> {
    const path = `/repos/${repository}/actions/runs/${run}`;
    const answer = await this.#github.ask(installation, "GET", path);
    if (answer.status === 404) return null;
    const fields = ok(answer, path);
    const { run_attempt: attempt, status, name } = fields;
    if (!Number.isSafeInteger(attempt) || typeof status !== "string") throw strange(path);
    return {
      attempt: attempt as number,
      isCompleted: status === "completed",
      startedAt: Date.parse(String(fields.run_started_at ?? fields.created_at)),
      workflow: typeof name === "string" ? name : null,
    };
  }

  /** The App's installation that the repository belongs to; null: there is none. */
  async installation(repository: string): Promise<number | null> {
    const path = `/repos/${repository}/installation`;
    const answer = await this.#github.askAsApp("GET", path);
    if (answer.status === 404) return null;
    const { id } = ok(answer, path);
    if (!Number.isSafeInteger(id)) throw strange(path);
    return id as number;
  }

  /**
   * From when on it counts as over, by GitHub's clock; null: it is not over, or that is not known. A job's
   * id is that of its check run, which the answer names: where it names another one, nothing is known.
   */
  async endOf(
    installation: number,
    { repository, run, attempt, job }: Whereabouts,
  ): Promise<number | null> {
    const within = job === null ? `runs/${run}/attempts/${attempt}` : `jobs/${job}`;
    const path = `/repos/${repository}/actions/${within}`;
    const answer = await this.#github.ask(installation, "GET", path);
    if (answer.status === 404) return null;
    const fields = ok(answer, path);
    if (fields.status !== "completed" || fields.run_attempt !== attempt) return null;
    if (job === null) return fields.id === run ? Number.NEGATIVE_INFINITY : null;
    const isIt = fields.run_id === run && String(fields.check_run_url).endsWith(`/${job}`);
    const end = isIt ? Date.parse(String(fields.completed_at)) : Number.NaN;
    return Number.isNaN(end) ? null : end + JOB_MARGIN_MS;
  }

  /** The state that a deployment came to last; null: it has none yet, or is not there any more. */
  async deployment(
    { installation, repository }: Where,
    id: number,
  ): Promise<"waiting" | "running" | "over" | null> {
    const path = `/repos/${repository}/deployments/${id}/statuses?per_page=100`;
    const answer = await this.#github.ask(installation, "GET", path);
    if (answer.status === 404) return null;
    const { body } = answer;
    if (answer.status !== 200 || !Array.isArray(body)) throw strange(path, answer.status);
    const statuses = body.map(fieldsOf).filter((each) => Number.isSafeInteger(each.id));
    const last = statuses.reduce<(typeof statuses)[number] | null>(
      (one, other) => (one === null || Number(other.id) > Number(one.id) ? other : one),
      null,
    );
    if (last === null) return null;
    if (OVER.includes(String(last.state))) return "over";
    return last.state === "in_progress" ? "running" : "waiting";
  }

  /**
   * Whether a job of this attempt may still run in the environment. `elsewhere`: jobs that are known not
   * to. `idle`: what jobs that do not run may be, besides completed.
   */
  async hasUnfinished(
    pass: Where,
    elsewhere: ReadonlySet<number>,
    ...idle: readonly string[]
  ): Promise<boolean> {
    const done = ["completed", ...idle];
    const { installation, repository, run, attempt } = pass;
    let path: string | null =
      `/repos/${repository}/actions/runs/${run}/attempts/${attempt}/jobs?per_page=100`;
    for (let page = 0; path !== null; page++) {
      if (page === PAGES_LIMIT) return true;
      const answer: GitHubAnswer = await this.#github.ask(installation, "GET", path);
      if (answer.status === 404) return true;
      const { jobs } = ok(answer, path);
      if (!Array.isArray(jobs)) throw strange(path);
      for (const { id, status } of jobs.map(fieldsOf)) {
        if (!done.includes(String(status)) && !elsewhere.has(Number(id))) return true;
      }
      path = answer.next;
    }
    return false;
  }

  /** Whether GitHub still waits for somebody before it lets the run in; null: it does not tell. */
  async isPending({ installation, repository, run, environment }: Where): Promise<boolean | null> {
    const path = `/repos/${repository}/actions/runs/${run}/pending_deployments`;
    const { status, body } = await this.#github.ask(installation, "GET", path);
    if (status !== 200 || !Array.isArray(body)) return null;
    const wanted = environment.toLowerCase();
    return body.some((each) => {
      const { name } = fieldsOf(fieldsOf(each).environment);
      return typeof name === "string" && name.toLowerCase() === wanted;
    });
  }

  /** Decides, or without a state only comments. The status of the answer. */
  async review(
    { installation, repository, run, environment }: Where,
    comment: string,
    state?: "approved" | "rejected",
  ): Promise<number> {
    const path = `/repos/${repository}/actions/runs/${run}/deployment_protection_rule`;
    const decision = state === undefined ? {} : { state };
    const body = { environment_name: environment, comment, ...decision };
    return (await this.#github.ask(installation, "POST", path, body)).status;
  }
}

function ok({ status, body }: GitHubAnswer, path: string): ReturnType<typeof fieldsOf> {
  if (status !== 200) throw strange(path, status);
  return fieldsOf(body);
}

function strange(path: string, status = 200): GitHubTrouble {
  return new GitHubTrouble(`${path}: the answer ${status} is not as expected`);
}
