import type { CheckedRequest } from "../../lock/request.ts";
/** What a kind of server asks of its holders, besides their lease. Milliseconds. */
export interface Pace {
    /** A holder speaks at least this often, however long its lease. */
    readonly silenceLimit: number;
    /** After so much silence the server frees the lock, however long its lease. */
    readonly serverPatience: number;
    /** A holder gives up after so much silence, however long its lease. */
    readonly giveUpLimit: number;
}
/**
 * When a holder has to speak, and when to give up. Times are this process's own, in milliseconds:
 * the server's clock is never asked. A lease counts from before its last good renewal was sent, so
 * that here it is always over before it is over at the server.
 */
export declare class LeaseClock {
    #private;
    /** `graceMs`: what the work under the lock needs to stop. */
    constructor(leaseSeconds: number, provenAt: number, pace: Pace, graceMs?: number);
    /** The last renewal is on its way, or was lost on it. */
    get isUnanswered(): boolean;
    get provenAt(): number;
    /** From here on others may have the lock, if nothing more was heard. */
    get endsAt(): number;
    get giveUpAt(): number;
    /** When to renew; while a renewal is unanswered: when to ask on another connection. */
    get nextAt(): number;
    /** An answer that takes longer may never come. */
    get patience(): number;
    sent(at: number): void;
    /** The server renewed for so many seconds. Answers on two connections may come in any order. */
    proven(sentAt: number, seconds: number): void;
    changedConnection(at: number): void;
}
/**
 * The one time that a server counts, in seconds: how long it hears nothing of a holder until it gives
 * the lock to the next. That is dead-after, or the ttl where it is shorter, since the lock must not
 * outlive its last refresh by more. A longer ttl needs nothing from the server: the renewals go on as
 * long as the holder lives, or, where the ttl is a hard bound, until its end.
 */
export declare function leaseSecondsOf({ deadAfter, ttl }: CheckedRequest): number;
