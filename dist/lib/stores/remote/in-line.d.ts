import type { KeyStatus } from "../../lock/store.ts";
/** One failed look may be chance, and so may one in which a place just changed into a grant. */
export declare const FAILURES_LIMIT = 2;
/** A claim that lost its place joins the line again, after this. */
export declare const REJOIN_MS = 250;
/** So long it is tried: a server's restart takes seconds, its machine's a minute or two. */
export declare const REJOIN_LIMIT_MS = 120000;
/** A sentence about who is in the way is not worth a longer wait. */
export declare const EXPLAIN_MS = 1000;
export declare function lookPause(waiting: number): number;
export declare function joiningAgain(why: string): string;
/** Why a claim that was not to wait any longer has got nothing. `shown`: the server. */
export declare function whoIsInTheWay(shown: string, look: () => Promise<KeyStatus>): Promise<string>;
