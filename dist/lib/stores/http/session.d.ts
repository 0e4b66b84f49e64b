import type { CheckedRequest } from "../../lock/request.ts";
import type { ReleaseOutcome } from "../../lock/store.ts";
import type { Answer } from "./answer.ts";
import type { LockServer, Question } from "./client.ts";
/** The life that the protocol gives a session; a longer one is refreshed in time. */
export declare const LIFE_LIMIT_S: number;
export type Operation = "acquire" | "release" | "refresh" | "status";
export type Manner = Pick<Question, "patience" | "signal" | "background" | "once">;
/**
 * A session: by it the server knows a claim. Each claim has one of its own, since a session that asks
 * for what it holds is given it again; and the locks of a session end with it.
 */
export declare class Session {
    #private;
    readonly id: string;
    /** It was given by the user, and lives on when the claim is over. */
    readonly isGiven: boolean;
    constructor(server: LockServer, id: string, isGiven: boolean);
    /** One word about the lock of a server's key. */
    lock(operation: Operation, serverKey: string, manner?: Manner & {
        readonly wait?: number;
        readonly slots?: number;
    }): Promise<Answer>;
    /** Releases a lock and then ends the session, which some servers do not take as the same. */
    release(serverKey: string): Promise<ReleaseOutcome>;
    /** Leaves every line and releases everything. What fails here, the session's life ends. */
    end(manner?: Manner): Promise<void>;
}
/** `life`: seconds that the server keeps it, and its locks, without hearing of it. */
export declare function openSession(server: LockServer, { owner, note }: Pick<CheckedRequest, "owner" | "note">, life: number, manner?: Manner): Promise<Session>;
