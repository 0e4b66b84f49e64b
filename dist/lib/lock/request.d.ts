import { LockError } from "./errors.ts";
import type { ClaimRequest, FreezeOptions, Line, Run } from "./store.ts";
export declare const DEFAULT_DEAD_AFTER_MS = 30000;
/** Nobody refreshes a run's lock: long enough for a deployment of many jobs, and no working day lost. */
export declare const RUN_TTL_MS: number;
/** A claim request with everything checked and every default filled in. */
export type CheckedRequest = Required<Omit<ClaimRequest, "note" | "run">> & {
    readonly note: string | null;
    readonly run: Run | null;
};
/** Checks all of a request before anything is written. */
export declare function checkRequest(request: ClaimRequest): CheckedRequest;
/** The order in which claims are served, as a user writes it. */
export declare function parseLine(text: string): Line;
/** Checks all of a freeze before anything is written. */
export declare function checkFreeze({ owner, reason, duration }: FreezeOptions): FreezeOptions;
/** The ttl as a user writes it: in milliseconds, always with an end. */
export declare function parseTtl(text: string): number;
/** `dead-after` as a user writes it: in milliseconds, always with an end. */
export declare function parseDeadAfter(text: string): number;
/** What lock files are written as. */
export declare const LOCK_FORMATS: readonly ["sema", "json"];
export type LockFormat = (typeof LOCK_FORMATS)[number];
export declare function parseFormat(text: string): LockFormat;
/** Milliseconds to wait; null: without limit. */
export declare function checkTimeout(timeout: number | null | undefined): void;
/** Every claim looks at each slot: beyond this a lock is the wrong tool. */
export declare const SLOTS_LIMIT = 1000;
export declare function parseSlots(text: string): number;
export declare function checkSlots(slots: number, shown?: string): number;
/** The number of one slot, as `break` takes it: they count from 0. */
export declare function checkSlot(slot: number): number;
/** Claims of one key must agree about its slots; the sentence names both numbers. */
export declare function slotsMismatch(key: string, asked: number, present: number): LockError;
