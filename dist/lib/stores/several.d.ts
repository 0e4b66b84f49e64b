import type { ClaimOptions, ClaimRequest, Holding, Lease, Progress, ReleaseOutcome, Store } from "../lock/store.ts";
/** Several keys that are held together, and as one: `lease` is that of the first key as written. */
export interface SeveralHolding extends Holding {
    /** Of each key, in the order in which they were written. */
    readonly leases: readonly Lease[];
    /** Releases every key, and tells of each what became of it. Throws only after all were tried. */
    releaseEach(): Promise<readonly KeyRelease[]>;
}
export interface KeyRelease {
    readonly key: string;
    readonly outcome: ReleaseOutcome;
}
export interface SeveralOptions extends ClaimOptions {
    /** With `ready`: the claim stands in the lines of all its keys at once. */
    readonly onJoined?: (places: readonly Progress[]) => void;
    /** Told one sentence if a key was lost while the claim waited for another, and it begins anew. */
    readonly onTrouble?: (sentence: string) => void;
}
/**
 * Claims several keys, all or none. They are claimed one after the other in the order of their bytes: if each
 * job took them in its own order, two jobs could wait for each other for ever. The timeout is for all together,
 * and `Progress.key` says which one is waited for.
 *
 * A key that is lost while another is waited for is no loss of anything, since nothing has run under it: all are
 * released, and the claim begins anew in the time that is left.
 */
export declare function claimAll(store: Store, requests: readonly ClaimRequest[], options?: SeveralOptions): Promise<SeveralHolding>;
/** Key to fence, as scripts get it if several keys are held. */
export declare function fencesOf(leases: readonly Lease[]): Record<string, number | null>;
