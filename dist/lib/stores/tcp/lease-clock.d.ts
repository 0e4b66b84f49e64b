/**
 * When a holder has to speak, and when to give up. Times are this process's own, in milliseconds:
 * the server's clock is never asked. A lease counts from before its last good renewal was sent, so
 * that here it is always over before it is over at the server.
 */
export declare class LeaseClock {
    #private;
    constructor(leaseSeconds: number, provenAt: number);
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
