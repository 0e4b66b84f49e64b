import type { Store } from "../lock/store.ts";
/** Whether this is one of GitHub's own runners. There each job has a machine of its own. */
export declare function isGithubHosted(env: NodeJS.ProcessEnv): boolean;
/**
 * Checks that a store can lock another job out. One on the disk of a GitHub-hosted runner cannot, and
 * a job that believed in it would deploy beside others: so it is an error, unless the user has named
 * that store. Then it is a warning, which is returned; null where there is nothing to warn about.
 */
export declare function checkHostedRunner(env: NodeJS.ProcessEnv, store: Pick<Store, "url" | "promises">, wasNamed: boolean): string | null;
