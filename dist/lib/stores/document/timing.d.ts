/** All durations of the document protocol, in milliseconds. Tests bring shorter ones. */
export interface Timing {
    /** How long a waiting claim sleeps by its place in line: the first, the second, all others. */
    readonly poll: readonly [number, number, number];
    /** The longest sleep, while the turn is far away. */
    readonly farPoll: number;
    readonly grace: number;
    readonly holderLook: number;
    readonly askAgain: number;
    readonly call: number;
    readonly startRetry: number;
    readonly startPatience: number;
    readonly leavePatience: number;
    readonly releasePatience: number;
    readonly lookPatience: number;
    readonly retry: readonly [number, number];
    readonly heartbeat: number;
    readonly heartbeatDeadAfter: number;
    readonly skew: number;
}
export declare const TIMING: Timing;
