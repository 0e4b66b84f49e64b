import { LockError } from "../lock/errors.ts";
import type { KeyStatus } from "../lock/store.ts";
/** What every store says in the same words when a claim ends without the lock. */
export declare function aborted(): LockError;
/** `limit`: milliseconds that the claim was ready to wait. */
export declare function notAcquired(key: string, limit: number, why: string): LockError;
export declare function describeHolders(status: Pick<KeyStatus, "holders" | "waiting">, now: number): string;
