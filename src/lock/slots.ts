import { LockError } from "./errors.ts";
import { quote } from "./text.ts";

/** Every claim looks at each slot: beyond this a lock is the wrong tool. */
export const SLOTS_LIMIT = 1_000;

export function parseSlots(text: string): number {
  const slots = /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  return checkSlots(slots, text);
}

export function checkSlots(slots: number, shown = String(slots)): number {
  if (!Number.isInteger(slots) || slots < 1 || slots > SLOTS_LIMIT) {
    throw new LockError(
      "BAD_SLOTS",
      `The number of slots ${quote(shown)} is not a whole number from 1 to ${SLOTS_LIMIT}.`,
    );
  }
  return slots;
}

/** The number of one slot, as `break` takes it: they count from 0. */
export function checkSlot(slot: number): number {
  if (!Number.isInteger(slot) || slot < 0 || slot >= SLOTS_LIMIT) {
    throw new LockError(
      "BAD_SLOTS",
      `The slot ${quote(String(slot))} is not a whole number from 0 to ${SLOTS_LIMIT - 1}.`,
    );
  }
  return slot;
}

/** Claims of one key must agree about its slots; the sentence names both numbers. */
export function slotsMismatch(key: string, asked: number, present: number): LockError {
  return new LockError(
    "SLOTS_MISMATCH",
    `The key ${quote(key)} is in use with slots ${present}, but this claim asks for slots ${asked}: use ${present}, or wait until nobody holds or waits for it.`,
  );
}
