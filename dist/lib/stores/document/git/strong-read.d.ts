import type { LockError } from "../../../lock/errors.ts";
import type { GitAddress } from "./address.ts";
import type { State } from "./protocol/commit.ts";
import type { Report } from "./protocol/messages.ts";
type Refusal = Extract<Report, {
    kind: "ng";
}>;
/** One ref, as a strong read needs it. */
export interface Confirmer {
    readonly address: GitAddress;
    /** As it was last seen. */
    readonly known: State | null;
    /** What a list shows, which may lag behind. */
    look(): Promise<State | null>;
    fetch(id: string): Promise<State>;
    /** A push from a state to the same one. */
    push(id: string): Promise<Report>;
    pause(ms: number): Promise<void>;
    refused(refusal: Refusal): LockError;
}
/**
 * A read that the repository itself confirms: it is asked to move the ref from where it was seen to
 * the same place, which it refuses once the ref has moved. git then says where the ref is, and that
 * is an answer of the repository itself as well; a server that keeps it to itself is asked again.
 *
 * There is no such push for a ref that is not there: from nothing to nothing is a deletion, which git
 * carries out whatever is there. So several reads have to agree, with time for a replica to catch up.
 * A ref that this register has seen does not depend on it: a push settles that one.
 */
export declare function readStrong(ref: Confirmer): Promise<State | null>;
export {};
