import { LockError } from "../../lock/errors.ts";
import { type KeyDocument } from "./document.ts";
/** A document is at most so long: every register carries that. */
export declare const DOCUMENT_BYTES_LIMIT: number;
/**
 * A document that grows, by a claim in line or a holder more, stays below this. The rest is for what
 * must never fail because a document is full: renewing, releasing, leaving, breaking.
 */
export declare const GROWTH_BYTES_LIMIT: number;
/**
 * The document as text, and what was written, which is less where it would have been too long. Null
 * where nothing more can be left out: a longer line, or one more holder, does not fit.
 */
export declare function writeDocument(document: KeyDocument, limit?: number): {
    readonly text: string;
    readonly document: KeyDocument;
} | null;
/**
 * Reads a document. Strict where a wrong guess would let two in: holders, line, slots and fence must
 * be whole. Lenient in the rest, and fields that this version does not know are carried along.
 */
export declare function parseDocument(text: string, key: string): KeyDocument;
export declare function unreadable(key: string, why: string, cause?: unknown): LockError;
