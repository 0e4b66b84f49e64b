/** git's own id of a tree without entries: a commit without files needs no right to workflows. */
export declare const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
export declare const NO_ID: string;
/** As much as every register carries; S3 and etcd have the same bound. */
export declare const DOCUMENT_BYTES_LIMIT: number;
/**
 * How many states hang together as parents: `git log` on the ref is the key's record of them. The
 * next state begins a new chain, so that a server may forget old ones and a clone stays small.
 */
export declare const CHAIN_LIMIT = 100;
/** A state of a key: one commit whose message is the document. */
export interface State {
    readonly id: string;
    readonly text: string;
    /** Its place in its chain, from 1. */
    readonly place: number;
}
export interface NewState extends State {
    /** The commit as git stores it, without the object's head. */
    readonly content: Buffer;
    /** It follows a state without having it as its parent. */
    readonly isCut: boolean;
}
/** Where a new state begins: the one before, and its place in its chain. */
export type Before = Pick<State, "id" | "place">;
/** The state that follows `before` (null: the key's first). `endless`: its chain is never cut. */
export declare function nextState(before: Before | null, text: string, endless?: boolean): NewState;
/** Reads a commit that a server sent for `id`. One of other tools is read too: its message is the text. */
export declare function readState(id: string, content: Buffer): State;
export declare function objectId(type: string, content: Buffer): string;
