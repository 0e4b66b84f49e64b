import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { KeyDocument } from "../../../src/stores/document/document.ts";
import { ForgeApi } from "../../helpers/forge-api.ts";
import { type GitServer, startGitServer } from "../../helpers/git-server.ts";
import { isAlive } from "../../helpers/processes.ts";
import { until } from "../../helpers/waiting.ts";
import type { JobOptions, JobRun } from "../runner/start-job.ts";
import { sweep } from "../runner/tracking.ts";
import { filesIn, leaseDirectoryOf, openScene, type Scene } from "../scene.ts";

/** The token of every job here. */
export const TOKEN = "ghs_s3cr3t-of-the-job";
const REPOSITORY = "acme/app";
const REF = "refs/holdfast/v1/production";

/** A forge: a real git server, a stand-in of the jobs API, and jobs that it runs on hosted machines. */
export interface ForgeScene extends Scene {
  readonly git: GitServer;
  readonly api: ForgeApi;
  /** What the jobs' token may do with the repository from now on; null: it is not accepted. */
  right: "write" | "read" | null;
  /** The document of the key, as it stands in its ref. */
  document(): Promise<KeyDocument>;
  /** What the forge says of a job from now on. `endedAgo`: seconds since it is over. */
  says(job: JobRun, status: "in_progress" | "completed", endedAgo?: number): void;
}

/** The lines that a job's keeper has written so far. */
export function logOf(job: JobRun): string[] {
  const directory = leaseDirectoryOf(job);
  return filesIn(directory)
    .filter((name) => name.endsWith(".log"))
    .flatMap((name) => readFileSync(join(directory, name), "utf8").split("\n"));
}

/** All processes and files of the job are gone at once, with its machine: nothing says goodbye. */
export async function lose(job: JobRun): Promise<void> {
  await job.crash();
  const left = sweep(job.description.trackingId);
  await until(() => !left.some(({ pid }) => isAlive(pid)));
  rmSync(job.description.directory, { recursive: true });
}

/** `right`: what the jobs' token may do with the repository. `path`: where the forge has its API. */
export async function openForge(
  right: "write" | "read" = "write",
  path: "" | "/api/v3" = "",
): Promise<ForgeScene> {
  const rights: { now: ForgeScene["right"] } = { now: right };
  const git = await startGitServer({
    path: `${REPOSITORY}.git`,
    access: (user, password) =>
      user === "x-access-token" && password === TOKEN ? rights.now : null,
  });
  onTestFinished(() => git.close());
  const api = await ForgeApi.start(path);
  api.token = TOKEN;
  const scene = openScene({ store: git.url, token: TOKEN });
  let jobs = 0;
  return {
    ...scene,
    git,
    api,
    get right() {
      return rights.now;
    },
    set right(next) {
      rights.now = next;
    },
    // The step names no store: that is what is tried here.
    lock: (inputs = {}, more = {}) => scene.lock({ store: "", ...inputs }, more),
    job: ({ env, ...options }) => {
      const number = ++jobs;
      const checkRun = String(70_000 + number);
      const { runId = String(7_000 + number), attempt = "1" } = options;
      const running = { id: Number(checkRun), run_id: Number(runId), completed_at: null };
      api.jobs.push({ ...running, run_attempt: Number(attempt), status: "in_progress" });
      const given: Partial<JobOptions> = { checkRun, runId, attempt, token: TOKEN };
      return scene.job({
        repository: REPOSITORY,
        environment: "github-hosted",
        ...given,
        ...options,
        env: { GITHUB_SERVER_URL: git.origin, GITHUB_API_URL: api.base, ...env },
      });
    },
    document: async () => JSON.parse(await git.git("log", "-1", "--format=%B", REF)),
    says: (job, status, endedAgo) => {
      const completed_at = endedAgo === undefined ? null : api.ago(endedAgo);
      api.jobs = api.jobs.map((each) =>
        String(each.id) === job.description.checkRun ? { ...each, status, completed_at } : each,
      );
    },
  };
}
