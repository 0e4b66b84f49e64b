import { LockError } from "../../lock/errors.ts";
/** What is said of a lock server in the same words, whatever it speaks. */
interface Server {
    readonly shown: string;
}
export declare function unreachable({ shown }: Server, why: string, cause?: unknown): LockError;
export declare function unsafe({ shown }: Server, why: string, cause: unknown): LockError;
/** `plain`: its address without TLS. */
export declare function notTls(server: Server, code: string, plain: string, cause: unknown): LockError;
export declare function denied({ shown }: Server, secret: string | null): LockError;
export declare function givesNoFences({ shown }: Server): LockError;
/** `store`: quoted, without what may be a secret in it. */
export declare function badStore(store: string, problem: string, advice: string): LockError;
/** `start`: the scheme alone, since what follows is a secret. */
export declare function holdsCredentials(start: string): LockError;
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
export {};
