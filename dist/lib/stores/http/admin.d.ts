import type { Hold } from "../../lock/history.ts";
import type { BreakOptions, Holder, KeyStatus } from "../../lock/store.ts";
import type { Answer } from "./answer.ts";
import { type LockServer } from "./client.ts";
import { type Session } from "./session.ts";
export interface Place {
    readonly server: LockServer;
    readonly store: string;
}
/** Who holds a key and who waits: from `/admin`, or, where a server has none, from `?lock=status`. */
export declare function inspectKey({ server, store }: Place, key: string, serverKey: string, patience?: number): Promise<KeyStatus>;
export declare function listKeys({ server, store }: Place, all: boolean): Promise<KeyStatus[]>;
/** Takes a key from its holders; null where the server has no word for it. */
export declare function breakKey(server: LockServer, serverKey: string, { reason, slot, owner }: BreakOptions): Promise<Holder[] | null>;
/** The holds of a key that are over, newest first. */
export declare function historyOf(server: LockServer, serverKey: string, limit: number): Promise<Hold[]>;
/** Whether the session of that id holds the key: its own word for it, which needs no other right. */
export declare function isHeldBy(server: LockServer, session: Session, serverKey: string, fence: number | null): Promise<boolean>;
/** A server without `/admin`, one that hides it, or one to which it is a file like any other. */
export declare function isMissing({ status, body }: Answer): boolean;
