/**
 * What a client can do wrong, by the protocol's own numbers. The reply on the wire is `error` for
 * each of them, and the connection is closed; number and reason are for the server's log.
 */
export interface Violation {
    readonly code: number;
    readonly reason: string;
}
export declare const violations: {
    readonly command: {
        readonly code: 3;
        readonly reason: "invalid command";
    };
    readonly integer: {
        readonly code: 4;
        readonly reason: "invalid integer in argument";
    };
    readonly key: {
        readonly code: 5;
        readonly reason: "empty key, or one with white space or invalid UTF-8";
    };
    readonly timeout: {
        readonly code: 6;
        readonly reason: "negative timeout";
    };
    readonly token: {
        readonly code: 7;
        readonly reason: "empty token";
    };
    readonly count: {
        readonly code: 8;
        readonly reason: "wrong argument count";
    };
    readonly lease: {
        readonly code: 9;
        readonly reason: "zero or negative lease";
    };
    readonly silence: {
        readonly code: 10;
        readonly reason: "read timeout";
    };
    readonly hangup: {
        readonly code: 11;
        readonly reason: "client disconnected";
    };
    readonly length: {
        readonly code: 12;
        readonly reason: "line too long";
    };
    readonly limit: {
        readonly code: 13;
        readonly reason: "zero or negative limit";
    };
};
