import type { ForgeRun } from "../lock/store.ts";
import { maySendSecret } from "../lock/text.ts";
import { Forge, type ForgeAnswer } from "./alive-forge.ts";

/** What a forge can be asked about: one job, or all jobs of one attempt of a run. */
export type ForgeLife =
  | (ForgeRun & {
      readonly kind: "job";
      /** The forge's id of the job; where it gives none, the runner's name finds it in its run. */
      readonly job: string | null;
      readonly runner: string | null;
    })
  | (ForgeRun & { readonly kind: "run" });

/**
 * Whether it lives; null: not known, and then the lock stays with its holder. The caller's signal ends
 * the question: a claim that is cancelled must not wait for a forge that does not answer.
 */
export type Alive = (life: ForgeLife, signal: AbortSignal) => Promise<boolean | null>;

export interface AliveOptions {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: GITHUB_TOKEN, else GH_TOKEN. Public repositories need none. */
  readonly token?: string | undefined;
  readonly caFile?: string | undefined;
}

/**
 * How long a job must be over, by the forge's own clock, before it counts as dead: its last step may
 * still be releasing the lock, and Gitea calls a cancelled job completed while its post step runs.
 */
const DEAD_AFTER_MS = 30_000;
/**
 * The same for a run that is not called completed though all its jobs are: the forge may take a while
 * to start the next job. There is a limit, since a run can stay in that state for weeks.
 */
const RUN_DEAD_AFTER_MS = 600_000;

/**
 * The same for a cancelled job on Gitea. Gitea 1.26 calls it completed at once and ends its token, while
 * its runner lets the step go on to its own end: nothing tells when that is.
 */
const CANCELLED_DEAD_AFTER_MS = 600_000;

const GITHUB_API = "https://api.github.com";
const PAGE = 100;
/** How many pages are read: a matrix has at most 256 legs. With more pages the answer is "not known". */
const PAGES_LIMIT = 10;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Asks the forge that runs this job about other jobs. The token is for that forge alone. A document
 * that strangers may have written can name another API: that API is not asked.
 */
export function openAlive(options: AliveOptions = {}): Alive {
  const env = options.env ?? process.env;
  const api = (env.GITHUB_API_URL?.trim() || GITHUB_API).replace(/\/+$/, "");
  const token = (options.token ?? env.GITHUB_TOKEN ?? "").trim() || env.GH_TOKEN?.trim() || null;
  const forge = new Forge(api, { token, caFile: options.caFile, env });
  const dead = new Set<string>();
  return async (life, signal) => {
    if (!maySendSecret(life.api, api) || !isPlain(life)) return null;
    const name = JSON.stringify(life);
    if (dead.has(name)) return false;
    const ask: Ask = (path) => forge.ask(path, signal);
    const alive = await (life.kind === "run" ? isRunAlive(ask, life) : isJobAlive(ask, life));
    // What is over stays over: a re-run has other ids, or another attempt.
    if (alive === false) dead.add(name);
    return alive;
  };
}

/** Accepts only text that cannot change where a path leads. */
function isPlain(life: ForgeLife): boolean {
  const numbers = [life.run, life.attempt, ...(life.kind === "job" && life.job ? [life.job] : [])];
  return (
    numbers.every((number) => /^\d{1,20}$/.test(number)) &&
    /^[\w.-]+\/[\w.-]+$/.test(life.repository) &&
    !/(^|\/)\.\.?(\/|$)/.test(life.repository)
  );
}

/** Asks for one path of the API, as long as the asker wants to know. */
type Ask = (path: string) => Promise<ForgeAnswer | null>;

async function isJobAlive(
  ask: Ask,
  life: Extract<ForgeLife, { kind: "job" }>,
): Promise<boolean | null> {
  if (life.job !== null) {
    const answer = await ask(`${pathOf(life)}/jobs/${life.job}`);
    if (answer === null || String(answer.body.run_id) !== life.run) return null;
    return isAlive(answer.body, answer.now, marginOf(life));
  }
  if (life.runner === null) return null;
  const jobs = await jobsOf(ask, life);
  // A runner may have had several jobs of the run: all of them have to be over.
  const own = jobs?.list.filter(({ runner_name }) => runner_name === life.runner) ?? [];
  return jobs === null || own.length === 0 ? null : anyAlive(own, jobs.now, marginOf(life));
}

/** The run's own state counts only if it is completed: a run may be in progress for weeks. */
async function isRunAlive(ask: Ask, life: ForgeRun): Promise<boolean | null> {
  const jobs = await jobsOf(ask, life);
  if (jobs === null || jobs.list.length === 0) return null;
  const alive = anyAlive(jobs.list, jobs.now, marginOf(life));
  if (alive !== false) return alive;
  if (anyAlive(jobs.list, jobs.now, () => RUN_DEAD_AFTER_MS) === false) return false;
  const run = await ask(`${pathOf(life)}/runs/${life.run}${attemptOf(life)}`);
  return run === null ? null : run.body.status !== "completed";
}

/** All jobs of the attempt; null where not all of them were told. */
async function jobsOf(
  ask: Ask,
  life: ForgeRun,
): Promise<{ list: readonly Fields[]; now: number } | null> {
  const path = `${pathOf(life)}/runs/${life.run}${attemptOf(life)}/jobs`;
  const list: Fields[] = [];
  let now = Number.POSITIVE_INFINITY;
  for (let page = 1; page <= PAGES_LIMIT; page++) {
    const answer = await ask(`${path}?per_page=${PAGE}&limit=${PAGE}&page=${page}`);
    if (answer === null || !Array.isArray(answer.body.jobs)) return null;
    list.push(...(answer.body.jobs as Fields[]));
    // The earliest of the pages' clocks: a job that is over by it is over by all of them.
    now = Math.min(now, answer.now);
    const total = answer.body.total_count;
    if (typeof total !== "number") return null;
    if (list.length >= total) {
      const own = list.filter(
        ({ run_attempt = Number(life.attempt) }) => run_attempt === Number(life.attempt),
      );
      return { list: own, now };
    }
    if (answer.body.jobs.length === 0) return null;
  }
  return null;
}

function pathOf({ repository }: ForgeRun): string {
  return `/repos/${repository}/actions`;
}

/** Gitea has no path for an attempt; each job names its attempt. */
function attemptOf(life: ForgeRun): string {
  return isGitea(life) ? "" : `/attempts/${life.attempt}`;
}

function isGitea({ api }: ForgeRun): boolean {
  return /\/api\/v1\/*$/.test(api);
}

/** How long a job has to be over. */
type Margin = (job: Fields) => number;

function marginOf(life: ForgeRun): Margin {
  const isCut = ({ conclusion }: Fields) => isGitea(life) && conclusion === "cancelled";
  return (job) => (isCut(job) ? CANCELLED_DEAD_AFTER_MS : DEAD_AFTER_MS);
}

function anyAlive(jobs: readonly Fields[], now: number, margin: Margin): boolean | null {
  const lives = jobs.map((job) => isAlive(job, now, margin));
  return lives.includes(true) ? true : lives.includes(null) ? null : false;
}

/** Completed is not enough: the job's end must be known, and as long ago as the margin. */
function isAlive(job: Fields, now: number, margin: Margin): boolean | null {
  if (typeof job.status !== "string") return null;
  if (job.status !== "completed") return true;
  const end = typeof job.completed_at === "string" ? Date.parse(job.completed_at) : Number.NaN;
  // Without a time Gitea says the year 1 or 1970.
  if (Number.isNaN(end) || end <= 86_400_000) return null;
  return now - end < margin(job);
}
