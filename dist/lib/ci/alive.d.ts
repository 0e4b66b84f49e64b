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
 * Asks the forge that runs this job about other jobs. The token is for that forge alone. A document
 * that strangers may have written can name another API: that API is not asked.
 */
export declare function openAlive(options?: AliveOptions): Alive;
