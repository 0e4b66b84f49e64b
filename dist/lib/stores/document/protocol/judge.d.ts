import type { Vitality } from "../../../lock/reclaim.ts";
import { type HolderEntry, type KeyDocument, type WaiterEntry } from "../document.ts";
import type { Lives } from "../operations/state.ts";
import type { Timing } from "../timing.ts";
import type { Sightings } from "./sightings.ts";
import type { Seen } from "./swap.ts";
import { type Steps } from "./world.ts";
/** What is known about those in a document at one moment. */
export interface Judgement {
    readonly now: number;
    /** Of waiters and holders. */
    readonly alive: Lives;
    readonly vitality: (holder: HolderEntry) => Vitality;
    /** Monotonic milliseconds at which a holder's time may be over; null: none is watched. */
    readonly reviewAt: number | null;
}
type Rules = Pick<Timing, "askAgain" | "skew">;
/** Finds out about those that are in the way of a claim: the holders, and those ahead in line. */
export declare function judge(seen: Seen, ahead: readonly WaiterEntry[], sightings: Sightings, rules: Rules): Steps<Judgement>;
/** Finds out about all in a document, for those who only look or clean. */
export declare function judgeAll(seen: Seen, sightings: Sightings, rules: Rules): Steps<Judgement>;
/** What is known of those in line, for who gives a slot away. */
export declare function livesOfLine(document: KeyDocument): Steps<Lives>;
export {};
