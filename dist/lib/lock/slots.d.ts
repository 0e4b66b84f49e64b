import { LockError } from "./errors.ts";
/** Every claim looks at each slot: beyond this a lock is the wrong tool. */
export declare const SLOTS_LIMIT = 1000;
export declare function parseSlots(text: string): number;
export declare function checkSlots(slots: number, shown?: string): number;
/** The number of one slot, as `break` takes it: they count from 0. */
export declare function checkSlot(slot: number): number;
/** Claims of one key must agree about its slots; the sentence names both numbers. */
export declare function slotsMismatch(key: string, asked: number, present: number): LockError;
