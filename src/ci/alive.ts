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
 * Whether it lives; null: not known, and then nobody is robbed. Who asks says how long it may take: a
 * claim that is cancelled must not wait for a forge that does not answer.
 */
export type Alive = (life: ForgeLife, signal: AbortSignal) => Promise<boolean | null>;

export interface AliveOptions {
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Default: GITHUB_TOKEN, else GH_TOKEN. Public repositories need none. */
  readonly token?: string | undefined;
  readonly caFile?: string | undefined;
}

/**
 * How long a job is over, by the forge's own clock, before it counts as dead: its last step may still
 * be on its way to release the lock, and Gitea calls a cancelled job completed while its post step runs.
 */
const DEAD_AFTER_MS = 30_000;
/**
 * The same for a run that does not call itself completed though all its jobs are: between two jobs
 * the forge takes its time to make the next one. A run may say so for weeks, so that it ends.
 */
const RUN_DEAD_AFTER_MS = 600_000;

/**
 * The same for a job of Gitea's that was cancelled. Gitea 1.26 says completed at once, and takes the
 * job's token away, while its runner lets the step go on to its own end: nobody tells when that is.
 */
const CANCELLED_DEAD_AFTER_MS = 600_000;

const GITHUB_API = "https://api.github.com";
const PAGE = 100;
/** A run has at most 256 legs a matrix; more pages than these are not read, and nothing is concluded. */
const PAGES_LIMIT = 10;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Asks the forge that runs this job about others. The token is for that forge alone: a life that
 * names another API comes from a document which strangers may have written, and is not asked about.
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

/** Only what cannot lead a path elsewhere. */
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

/** A run's own word counts only where it says that it is over: it may be in progress for weeks. */
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
    // The earliest clock: what is over by it was over when the other pages were written.
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

/** Gitea has no path of an attempt; its jobs say which one they are of. */
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

/** Completed is not enough: its end must lie behind by the margin, and be told. */
function isAlive(job: Fields, now: number, margin: Margin): boolean | null {
  if (typeof job.status !== "string") return null;
  if (job.status !== "completed") return true;
  const end = typeof job.completed_at === "string" ? Date.parse(job.completed_at) : Number.NaN;
  // Gitea says the year 1 or 1970 where it has no time.
  if (Number.isNaN(end) || end <= 86_400_000) return null;
  return now - end < margin(job);
}
