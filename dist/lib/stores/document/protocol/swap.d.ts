import { type KeyDocument } from "../document.ts";
import { type Steps } from "./world.ts";
/** A document as it was read, and when. */
export interface Seen {
    readonly version: string | null;
    readonly document: KeyDocument;
    readonly strong: boolean;
    /**
     * Monotonic milliseconds before and after the reading. What was seen first at the later of them
     * and is unchanged at the earlier of the next reading was so for at least the time between.
     */
    readonly before: number;
    readonly after: number;
}
/** Reads a key. `strong`: before it is concluded that something is gone or lost. */
export declare function look(key: string, strong: boolean): Steps<Seen>;
/** Reads a key after a swap of it lost. A read that shows the same state again lags behind. */
export declare function lookAgain(key: string, lost: Seen): Steps<Seen>;
/** The swaps that one claim, release or the like has tried: it recognises them by their nonces. */
export declare class Tries {
    #private;
    /** An answer was lost, and the swap may still arrive. */
    isInDoubt: boolean;
    /** Whether anything may have been written at all. */
    get any(): boolean;
    add(nonce: string): void;
    /** The latest of its swaps that led to this document. */
    stoodIn(document: KeyDocument): string | null;
    /** All of it, to compare with another one's. */
    dump(): unknown;
}
/**
 * Puts the next state in the place of the one that was seen; null where somebody else was first. A
 * lost answer is settled by reading: the own nonce is there, or it is not. Where it is not and the
 * document has not changed, the swap may still be on its way: `tries` then says so.
 */
export declare function write(seen: Seen, next: KeyDocument, tries: Tries, limit?: number): Steps<Seen | null>;
/** What an act makes of a document: a next state with its result, or nothing to do. */
export type Proposal<T> = {
    readonly next: KeyDocument;
    readonly result: T;
} | {
    readonly settled: T;
};
/**
 * Changes a document until the change stands: read, propose, swap, and again where others were
 * first. That there is nothing to do is believed only of a strong read.
 */
export declare function amend<T>(key: string, propose: (seen: Seen) => Steps<Proposal<T>>, tries?: Tries): Steps<T>;
/** Thrown where a step was cut short because the claim's time ran out or its signal fired. */
export declare class Cancelled extends Error {
}
