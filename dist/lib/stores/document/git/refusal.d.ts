import { LockError } from "../../../lock/errors.ts";
import type { GitAddress } from "./address.ts";
/**
 * What a forge's refusals mean and what to do about them, each in one sentence: they are what a new
 * user meets on the first day, and "permission denied" helps nobody.
 */
export interface Asker {
    readonly address: GitAddress;
    readonly hasToken: boolean;
    readonly env: Readonly<Record<string, string | undefined>>;
}
/** Why a push was refused. "chain": the server wants each state to follow the one before. */
export declare function causeOf(reason: string): "rule" | "chain" | "race" | "unclear";
/** A status below 500 in place of an answer. `words`: what the server said, without secrets. */
export declare function refusedBy(status: number, words: string, asker: Asker): LockError;
/** The server took the push and said no: a hook, a rule, or the token's rights. */
export declare function pushRefused(reason: string, words: string, asker: Asker): LockError;
