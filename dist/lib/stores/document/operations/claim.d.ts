import type { ReclaimReason } from "../../../lock/reclaim.ts";
import { type Claimant, type HolderEntry, type KeyDocument, type WaiterEntry } from "../document.ts";
import { type Moment, type Outcome } from "./state.ts";
/** As many may wait for a key: beyond that a document outgrows what registers carry. */
export declare const LINE_LIMIT = 100;
/** A holder whose lock may be taken, and by which rule. */
export interface Reclaim {
    readonly id: string;
    readonly reason: ReclaimReason;
}
export interface TakeRequest {
    readonly claimant: Claimant;
    readonly slots: number;
    readonly waited: number;
    /** Holders that are dead, or that this claim may rob. */
    readonly reclaim: readonly Reclaim[];
    /** Claims in line that are dead, or that did not come when it was their turn. */
    readonly drop: readonly string[];
    /** An emergency does not queue up behind those who wait. */
    readonly overtakes?: boolean;
}
/** Takes a free slot for a claim whose turn it is. */
export declare function take(document: KeyDocument, request: TakeRequest, moment: Moment): Outcome;
export interface JoinRequest {
    readonly waiter: WaiterEntry;
    readonly slots: number;
    readonly drop: readonly string[];
}
/** Puts a claim at the end of the line. One that wants to be the newest ends the older ones. */
export declare function join(document: KeyDocument, request: JoinRequest, { nonce }: Moment): Outcome;
/** A later claim of the run that holds the key: it has the same fence and slot, at once. */
export declare function share(document: KeyDocument, { claimant }: Pick<TakeRequest, "claimant">, { nonce }: Moment): Outcome;
/** The hold that a claim may share: one of the same run and attempt. */
export declare function sharedBy(document: KeyDocument, { run }: Pick<Claimant, "run">): HolderEntry | null;
/** Takes the lock from holders that are dead or may be robbed, and remembers by whom and why. */
export declare function reclaim(document: KeyDocument, reclaims: readonly Reclaim[], by: string, { now }: Pick<Moment, "now">): KeyDocument;
export declare function remember(document: KeyDocument, taken: KeyDocument["taken"][number]): import("../document.ts").Taken[];
export declare function drop(document: KeyDocument, ids: readonly string[]): KeyDocument;
