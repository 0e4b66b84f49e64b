import type { LockError } from "../../lock/errors.ts";
import type { Address } from "./address.ts";
/** Every way in which a server can be the wrong one or out of reach, in one sentence each. */
export declare function hungUp(address: Address): LockError;
export declare function wasCut(address: Address): LockError;
export declare function silent(address: Address, patience: number): LockError;
/** The line is shown, since it mostly tells what listens there; the secret that we sent never is. */
export declare function speaksOtherwise(address: Address, line: string, secret: string | null): LockError;
export declare function speaksTls(address: Address): LockError;
/** A failed socket in the user's words. `answered`: whether a lock server has spoken on it before. */
export declare function explainSocket(error: unknown, address: Address, answered: boolean): LockError;
