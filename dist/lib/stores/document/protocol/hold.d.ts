import type { ReleaseOutcome } from "../../../lock/store.ts";
import type { HolderEntry, KeyDocument } from "../document.ts";
import { type Moment } from "../operations/state.ts";
import { type Seen } from "./swap.ts";
import { type Steps } from "./world.ts";
/** How a hold is found: by the claim that made it, or by a lease's fence and its token's digest. */
export type Find = (document: KeyDocument) => HolderEntry | undefined;
export declare function byClaim(claim: string): Find;
export declare function byLease({ fence, digest }: {
    fence: number | null;
    digest: string;
}): Find;
/** Releases a hold, and promotes the next in line where it is known to live. */
export declare function releaseSteps(key: string, find: Find): Steps<ReleaseOutcome>;
/** Renews a hold; null where it is no longer there, which only a strong read says. */
export declare function renewSteps(key: string, find: Find, refreshes: boolean): Steps<KeyDocument | null>;
/** Looks whether a hold is still there. What a lagging read says is asked again. */
export declare function holdingSteps(key: string, find: Find): Steps<{
    readonly seen: Seen;
    readonly holder: HolderEntry | undefined;
}>;
export declare function moment(): Steps<Moment>;
