import { onTestFinished } from "vitest";
import type { KeyDocument } from "../../../src/stores/document/document.ts";
import { ForgeApi } from "../../helpers/forge-api.ts";
import { type GitServer, startGitServer } from "../../helpers/git-server.ts";
import type { JobOptions, JobRun } from "../runner/start-job.ts";
import { openScene, type Scene } from "../scene.ts";

/** The token of every job here. */
export const TOKEN = "ghs_s3cr3t-of-the-job";
const REPOSITORY = "acme/app";
const REF = "refs/holdfast/v1/production";

/** A forge: a real git server, a stand-in of the jobs API, and jobs that it runs on hosted machines. */
export interface ForgeScene extends Scene {
  readonly git: GitServer;
  readonly api: ForgeApi;
  /** The document of the key, as it stands in its ref. */
  document(): Promise<KeyDocument>;
  /** What the forge says of a job from now on. `endedAgo`: seconds since it is over. */
  says(job: JobRun, status: "in_progress" | "completed", endedAgo?: number): void;
}

/** `right`: what the jobs' token may do with the repository. */
export async function openForge(right: "write" | "read" = "write"): Promise<ForgeScene> {
  const git = await startGitServer({
    path: `${REPOSITORY}.git`,
    access: (user, password) => (user === "x-access-token" && password === TOKEN ? right : null),
  });
  onTestFinished(() => git.close());
  const api = await ForgeApi.start();
  api.token = TOKEN;
  const scene = openScene({ store: git.url, token: TOKEN });
  let jobs = 0;
  return {
    ...scene,
    git,
    api,
    // The step names no store: that is what is tried here.
    lock: (inputs = {}, more = {}) => scene.lock({ store: "", ...inputs }, more),
    job: ({ env, ...options }) => {
      const number = ++jobs;
      const checkRun = String(70_000 + number);
      const runId = String(7_000 + number);
      const running = { id: Number(checkRun), run_id: Number(runId), completed_at: null };
      api.jobs.push({ ...running, run_attempt: 1, status: "in_progress" });
      const given: Partial<JobOptions> = { checkRun, runId, token: TOKEN };
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
