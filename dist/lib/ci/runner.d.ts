import type { Store } from "../lock/store.ts";
/** Whether this is one of GitHub's own runners. There each job has a machine of its own. */
export declare function isGithubHosted(env: NodeJS.ProcessEnv): boolean;
/**
 * Checks that a store can lock another job out. A store on the disk of a GitHub-hosted runner cannot,
 * and a job that relied on it would deploy beside others. So that is an error, or, if the user has named
 * that store, a warning, which is returned. Null: nothing to warn about.
 */
export declare function checkHostedRunner(env: NodeJS.ProcessEnv, store: Pick<Store, "url" | "promises">, wasNamed: boolean): string | null;
