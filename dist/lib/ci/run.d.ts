import type { Run } from "../lock/store.ts";
/**
 * The run that this job belongs to, for locks that outlive the job. Null outside CI, and where the
 * system does not tell one run from another: two runs with one id would share a lock.
 */
export declare function runOf(env: NodeJS.ProcessEnv): Run | null;
