import { type Alive, type AliveOptions, type ForgeLife, openAlive } from "./alive.ts";
import { isOn } from "./systems/detector.ts";
import { claimedJob } from "./systems/self-hosted.ts";

/** What a store in a forge's repository needs of the forge: whether other jobs live, and which job this is. */
export interface ForgeFacts {
  readonly alive: Alive;
  /** The job of this process. Absent where others could not ask about it: then it has to send heartbeats. */
  readonly life?: ForgeLife;
  /**
   * One sentence, if the forge does not tell whether this job lives: then it does not tell of other
   * jobs either.
   */
  readonly hint?: string;
}

export interface ForgeQuestion extends AliveOptions {
  readonly env: NodeJS.ProcessEnv;
  /** As the user wrote it, or normalised. */
  readonly store: string;
  /** The forge's own id of this job, where the runner tells it. */
  readonly jobId?: string | undefined;
  /** The claim was cancelled, or its time is over. */
  readonly signal: AbortSignal;
}

/**
 * Finds out whether the forge can tell that this job lives, by asking about the job itself. Otherwise
 * the job has to use heartbeats: if nobody may read jobs (`actions: read`, in a private repository), a
 * dead holder would stay until its ttl is over; heartbeats stop within minutes.
 */
export async function askForge(question: ForgeQuestion): Promise<ForgeFacts> {
  const { env, store, jobId } = question;
  const alive = openAlive(question);
  const [repository = ""] = store.trim().split("?");
  const isHome = repository === "github" || repository === homeStore(env);
  const own = isHome ? ownJob(env, jobId) : null;
  if (own === null) return { alive };
  const signal = AbortSignal.any([question.signal, AbortSignal.timeout(OWN_JOB_MS)]);
  return (await alive(own, signal)) === true ? { alive, life: own } : { alive, hint: HINT };
}

/** How long a claim waits for this before it begins: a slower forge counts as one that does not tell. */
const OWN_JOB_MS = 5_000;

const HINT =
  "the forge does not tell this job whether jobs live: its lock lives by heartbeats, and a holder whose job is lost may be in its way until that one's ttl is over. In a private repository this line in the job's permissions helps, beside contents: write:\n  actions: read";

/**
 * The repository of this job as a store. The token cannot ask about jobs of another private repository:
 * so only jobs of this one are judged by the forge.
 */
function homeStore(env: NodeJS.ProcessEnv): string | null {
  const repository = env.GITHUB_REPOSITORY?.trim() ?? "";
  const server = (env.GITHUB_SERVER_URL?.trim() || "https://github.com").replace(/\/+$/, "");
  if (repository === "") return null;
  return server === "https://github.com"
    ? `github:${repository}`
    : `git+${server}/${repository}.git`;
}

/** The runners of Gitea tell a job its id in their token alone, and no name of theirs. */
function jobOfToken(env: NodeJS.ProcessEnv): string | null {
  return isOn(env.GITEA_ACTIONS) ? (claimedJob(env.ACTIONS_RUNTIME_TOKEN) ?? null) : null;
}

function ownJob(env: NodeJS.ProcessEnv, jobId: string | undefined): ForgeLife | null {
  const { GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run, RUNNER_NAME: runner } = env;
  const job = jobId !== undefined && /^\d+$/.test(jobId) ? jobId : jobOfToken(env);
  if (env.GITHUB_ACTIONS !== "true" || !repository || !run || (job === null && !runner))
    return null;
  return {
    kind: "job",
    api: (env.GITHUB_API_URL?.trim() || "https://api.github.com").replace(/\/+$/, ""),
    repository,
    run,
    attempt: env.GITHUB_RUN_ATTEMPT || "1",
    job,
    runner: runner ?? null,
  };
}
