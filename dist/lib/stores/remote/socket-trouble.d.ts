/**
 * What a failed socket means. `cut`: by the other side; `not-tls`: the other side does not speak it;
 * `why` goes on after the server's name.
 */
export type SocketTrouble = {
    readonly kind: "unsafe" | "unreachable";
    readonly why: string;
} | {
    readonly kind: "not-tls";
    readonly code: string;
} | {
    readonly kind: "cut";
};
export declare function socketTrouble(error: unknown, host: string): SocketTrouble;
