import type { HoldEnd } from "../../../lock/history.ts";
import { type HolderEntry, type KeyDocument, type WaiterEntry } from "../document.ts";
/** What an operation may know of the world: the time, and a nonce that nobody else has. */
export interface Moment {
    /** Wall-clock milliseconds. */
    readonly now: number;
    readonly nonce: string;
}
/**
 * What is known about a claim's life: true, false, or null for not known. Nobody is promoted without
 * true, and nobody is dropped without false.
 */
export type Lives = (entry: HolderEntry | WaiterEntry) => boolean | null;
/** Why an operation did not make a next state. */
export type Refusal = {
    readonly refused: "slots";
    readonly present: number;
} | {
    readonly refused: "busy" | "behind" | "frozen" | "absent" | "full";
};
export type Outcome = KeyDocument | Refusal;
export declare function isRefusal(outcome: Outcome): outcome is Refusal;
/**
 * How many nonces are kept. A swap whose answer was lost is recognised as long as fewer others
 * followed it before its process has read again; more would only make documents longer.
 */
export declare const NONCES_KEPT = 64;
/** The next state: the changes, with a new nonce and the turn that they make. */
export declare function nextState(document: KeyDocument, changes: Partial<KeyDocument>, nonce: string): KeyDocument;
/** Whether a state came from the one that this nonce named, or is that one. */
export declare function remembers(document: KeyDocument | null, nonce: string): boolean;
/** A document with a hold that is over, remembered. */
export declare function withoutHolder(document: KeyDocument, holder: HolderEntry, end: HoldEnd, now: number): KeyDocument;
