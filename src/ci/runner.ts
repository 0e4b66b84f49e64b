import { LockError } from "../lock/errors.ts";
import type { Store } from "../lock/store.ts";

/** Whether this is one of GitHub's own runners. There each job has a machine of its own. */
export function isGithubHosted(env: NodeJS.ProcessEnv): boolean {
  return env.RUNNER_ENVIRONMENT === "github-hosted";
}

/**
 * Checks that a store can lock another job out. A store on the disk of a GitHub-hosted runner cannot,
 * and a job that relied on it would deploy beside others. So that is an error, or, if the user has named
 * that store, a warning, which is returned. Null: nothing to warn about.
 */
export function checkHostedRunner(
  env: NodeJS.ProcessEnv,
  store: Pick<Store, "url" | "promises">,
  wasNamed: boolean,
): string | null {
  if (!isGithubHosted(env) || store.promises.scope !== "machine") return null;
  const why = `On a GitHub-hosted runner every job has a machine of its own: a lock in ${store.url} locks nobody out. Name a store that all jobs reach, such as github, tcp://… or https://… (input store, option --store or HOLDFAST_STORE), or use a self-hosted runner.`;
  if (wasNamed) return why;
  throw new LockError(
    "HOSTED_RUNNER",
    `${why} If a lock for this one machine is meant, name it: ${store.url}.`,
  );
}
