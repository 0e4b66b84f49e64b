import { type NewState, type State } from "./commit.ts";
import { ProtocolError } from "./pkt-line.ts";
/** What is said to a git server and what it answers, as bytes: pure, without a connection. */
/** One answer to a push: nothing of the ref has changed unless it is "ok". */
export type Report = {
    readonly kind: "ok";
} | {
    readonly kind: "ng";
    readonly reason: string;
    readonly words: string;
};
/** What the server itself said in place of an answer (`ERR`, or the third band). */
export declare class ServerSaid extends ProtocolError {
}
/** Moves `ref` from `old` (null: it is not there) to a new state, or leaves it where it is. */
export declare function pushRequest(ref: string, old: string | null, next: NewState | null): Buffer;
/** Throws where the report is not whole: then nobody knows what became of the push. */
export declare function readReport(bytes: Buffer, ref: string): Report;
/** `format`: the kind of ids, where it is not SHA-1; servers before git 2.28 do not know the word. */
export declare function listRequest(prefix: string, format?: "sha256"): Buffer;
/** Refs and their ids. */
export declare function readList(bytes: Buffer): Map<string, string>;
/** One commit without its ancestors. */
export declare function fetchRequest(id: string): Buffer;
export declare function readCommit(bytes: Buffer, id: string): State;
