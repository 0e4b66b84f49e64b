import { formatDuration } from "../../../lock/duration.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const HOUR_MS = 3_600_000;
/** How long GitHub's token of a job is good for, from the job's begin. */
const HOSTED_MS = 6 * HOUR_MS;
const SELF_HOSTED_MS = 24 * HOUR_MS;
/** Time enough for a person to read of it and act. */
const WARN_MS = HOUR_MS / 2;

/**
 * The age of a job's own token. It is told once, shortly before the token ends: after that the lock
 * can be neither verified nor released by the job, and the sentence must be in the log by then. The
 * store is opened when the job begins, so that its own age is the token's.
 */
export class TokenAge {
  readonly #life: number | null;
  readonly #now: () => number;
  readonly #since: number;
  #isTold = false;

  /** `isJobs`: whether the token is one that the forge made for this job. */
  constructor(isJobs: boolean, env: Environment, now: () => number = () => performance.now()) {
    // Gitea and Forgejo end a job's token with the job, not with the time.
    const isGithub = env.GITHUB_ACTIONS === "true" && !env.GITEA_ACTIONS && !env.FORGEJO_ACTIONS;
    const life = env.RUNNER_ENVIRONMENT === "github-hosted" ? HOSTED_MS : SELF_HOSTED_MS;
    this.#life = isJobs && isGithub ? life : null;
    this.#now = now;
    this.#since = now();
  }

  /** One sentence, once; null: it is not time, or it was said. */
  warning(): string | null {
    if (this.#life === null || this.#isTold) return null;
    const left = this.#since + this.#life - this.#now();
    if (left > WARN_MS) return null;
    this.#isTold = true;
    return `The job's token ends ${formatDuration(this.#life)} after the job began, in about ${formatDuration(Math.max(0, left))}: from then on this job can neither verify nor release its lock, which is free when the job is over. A longer job needs a token of its own (contents: write) in the action's token input or HOLDFAST_TOKEN.`;
  }
}
