import type { ForgeRun } from "../lock/store.ts";
/** What a forge can be asked about: one job, or all jobs of one attempt of a run. */
export type ForgeLife = (ForgeRun & {
    readonly kind: "job";
    /** The forge's id of the job; where it gives none, the runner's name finds it in its run. */
    readonly job: string | null;
    readonly runner: string | null;
}) | (ForgeRun & {
    readonly kind: "run";
});
/** Whether it lives; null: not known, and then nobody is robbed. */
export type Alive = (life: ForgeLife) => Promise<boolean | null>;
export interface AliveOptions {
    readonly env?: Readonly<Record<string, string | undefined>>;
    /** Default: GITHUB_TOKEN, else GH_TOKEN. Public repositories need none. */
    readonly token?: string | undefined;
    readonly caFile?: string | undefined;
}
/**
 * How long a job is over, by the forge's own clock, before it counts as dead: its last step may still
 * be on its way to release the lock, and Gitea calls a cancelled job completed while its post step runs.
 */
export declare const DEAD_AFTER_MS = 30000;
/**
 * The same for a run that does not call itself completed though all its jobs are: between two jobs
 * the forge takes its time to make the next one. A run may say so for weeks, so that it ends.
 */
export declare const RUN_DEAD_AFTER_MS = 600000;
/**
 * The same for a job of Gitea's that was cancelled. Gitea 1.26 says completed at once, and takes the
 * job's token away, while its runner lets the step go on to its own end: nobody tells when that is.
 */
export declare const CANCELLED_DEAD_AFTER_MS = 600000;
/**
 * Asks the forge that runs this job about others. The token is for that forge alone: a life that
 * names another API comes from a document which strangers may have written, and is not asked about.
 */
export declare function openAlive(options?: AliveOptions): Alive;
