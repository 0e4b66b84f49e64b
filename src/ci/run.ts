import type { ForgeRun, Run } from "../lock/store.ts";
import { reader } from "./identify.ts";
import { detect } from "./systems/detect.ts";
import type { Read } from "./systems/detector.ts";
import { shorten } from "./text.ts";

/** The longest id that a store accepts. */
const ID_BYTES_LIMIT = 500;

/**
 * The run that this job belongs to, for locks that outlive the job. Null outside CI, and where the
 * system does not tell one run from another: two runs with one id would share a lock.
 */
export function runOf(env: NodeJS.ProcessEnv): Run | null {
  const read = reader(env);
  const run = detect(read, "");
  const parts = run?.whole ?? [];
  if (run === null || parts.length === 0 || parts.includes(undefined)) return null;
  const forge = FORGES.includes(run.system) ? forgeRun(read, run.system) : null;
  return { id: shorten(parts.join("/"), ID_BYTES_LIMIT), forge };
}

/** The systems whose API src/ci/alive knows. */
const FORGES = ["github", "gitea", "forgejo"];
const GITHUB = "https://github.com";
const GITHUB_API = "https://api.github.com";

/** The API that can be asked about the run. Without an address in the environment only github.com's is known. */
function forgeRun(read: Read, system: string): ForgeRun | null {
  const isPublic = system === "github" && (read("GITHUB_SERVER_URL") ?? GITHUB) === GITHUB;
  const api = read("GITHUB_API_URL") ?? (isPublic ? GITHUB_API : undefined);
  const [repository, run] = [read("GITHUB_REPOSITORY"), read("GITHUB_RUN_ID")];
  if (api === undefined || repository === undefined || run === undefined) return null;
  const attempt = read("GITHUB_RUN_ATTEMPT") ?? "1";
  return { api: api.replace(/\/+$/, ""), repository, run, attempt };
}
