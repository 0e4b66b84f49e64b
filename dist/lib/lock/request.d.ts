import { LockError } from "./errors.ts";
import type { KeyStatus } from "./status.ts";
import type { ClaimRequest, FreezeOptions, Line, OneSlot, Run } from "./store.ts";
export declare const DEFAULT_DEAD_AFTER_MS = 30000;
/** Nothing refreshes a run's lock: long enough for a deployment of many jobs, and shorter than a working day. */
export declare const RUN_TTL_MS: number;
/** A claim request with everything checked and every default filled in. */
export type CheckedRequest = Required<Omit<ClaimRequest, "note" | "run" | "weight" | "resources">> & {
    readonly note: string | null;
    readonly run: Run | null;
    readonly weight: number;
    readonly resources: readonly string[] | null;
};
/** Checks all of a request before anything is written. */
export declare function checkRequest(request: ClaimRequest): CheckedRequest;
/** How much of a key a claim asks for, and how urgently: checked, with the defaults filled in. */
export declare function shareOf(request: {
    [Name in "slots" | "weight" | "priority" | "resources"]?: ClaimRequest[Name] | undefined;
}): Pick<CheckedRequest, "slots" | "weight" | "priority" | "resources">;
/** The order in which claims are served, as a user writes it. */
export declare function parseLine(text: string): Line;
/** Checks all of a freeze before anything is written. */
export declare function checkFreeze({ owner, reason, duration, ...only }: FreezeOptions): FreezeOptions;
/** Checks which slot alone is meant: by its number, by its name, or none alone. */
export declare function checkOnly({ slot, resource }: OneSlot): OneSlot;
/** The slots of a key, as far as one of them can be meant. */
interface Slots extends Pick<KeyStatus, "slots" | "resources" | "frozenSlots"> {
    /** Somebody holds it or waits for it. */
    readonly isUsed: boolean;
}
/**
 * The number of the slot that is meant; null: all of them. If nobody uses the key and no names of its
 * slots are known, its next claim says how many there are, and their names. So any slot may be meant
 * then; one that has only a name has the last number that is left, until a claim names it.
 */
export declare function slotMeant(key: string, { slot, resource }: OneSlot, { slots, resources, frozenSlots, isUsed }: Slots): number | null;
/** The ttl as a user writes it: in milliseconds, always with an end. */
export declare function parseTtl(text: string): number;
/** `dead-after` as a user writes it: in milliseconds, always with an end. */
export declare function parseDeadAfter(text: string): number;
/** The format in which lock files are written. */
export declare const LOCK_FORMATS: readonly ["sema", "json"];
export type LockFormat = (typeof LOCK_FORMATS)[number];
export declare function parseFormat(text: string): LockFormat;
/** Milliseconds to wait; null: without limit. */
export declare function checkTimeout(timeout: number | null | undefined): void;
export declare function parseSlots(text: string): number;
export declare function checkSlots(slots: number, shown?: string): number;
/** How many of the slots a claim takes, as a user writes it. */
export declare function parseWeight(text: string): number | "all";
/** The highest priority; the lowest is its negative. */
export declare const PRIORITY_LIMIT = 100;
/** A priority, as a user writes it. */
export declare function parsePriority(text: string): number;
/** The number of one slot, as a user writes it. */
export declare function parseSlot(text: string): number;
/** The number of one slot, as `break` takes it: they count from 0. */
export declare function checkSlot(slot: number, shown?: string): number;
/** Claims of one key must agree about its slots; the sentence names both numbers. */
export declare function slotsMismatch(key: string, asked: number, present: number): LockError;
/** A claim that shares the lock of its run has what that holds, and would wait for itself for more. */
export declare function heavierThanRun(key: string, held: number, asked: number): LockError;
/** Claims of one key must agree about the names of its slots as well. Null: without names. */
export declare function resourcesMismatch(key: string, asked: readonly string[] | null, present: readonly string[] | null): LockError;
export {};
