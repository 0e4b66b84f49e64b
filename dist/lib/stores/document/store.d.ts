import type { Hold } from "../../lock/history.ts";
import type { BreakOptions, BreakResult, ClaimOptions, CleanOptions, CleanResult, Holding, KeyStatus, Lease, ReleaseOutcome, Store, StorePromises } from "../../lock/store.ts";
import { type DocumentRequest } from "./claim.ts";
import { type Freeze } from "./document.ts";
import type { FreezeRequest } from "./operations/keep.ts";
import { type RunRelease } from "./protocol/upkeep.ts";
import type { Register } from "./register.ts";
import { type DocumentOptions, Site } from "./site.ts";
export type { DocumentRequest } from "./claim.ts";
export type { DocumentOptions } from "./site.ts";
/** A store over any register: one lock protocol, whatever keeps its documents. */
export declare function openDocumentStore(register: Register, options?: DocumentOptions): DocumentStore;
export declare class DocumentStore implements Store {
    #private;
    readonly url: string;
    readonly promises: StorePromises;
    constructor(site: Site);
    keyOf(text: string): string;
    claim(request: DocumentRequest, options?: ClaimOptions): Promise<Holding>;
    /** A document that cannot be read is shown as held by nobody knows whom. */
    inspect(key: string): Promise<KeyStatus>;
    list(options?: {
        all?: boolean;
    }): Promise<KeyStatus[]>;
    break(key: string, options: BreakOptions): Promise<BreakResult>;
    /** Asks strongly: a read that lags would still show a lock that was just taken away. */
    verify(lease: Pick<Lease, "key" | "fence" | "slot">): Promise<boolean>;
    release(lease: Lease): Promise<ReleaseOutcome>;
    history(key: string, { limit }: {
        limit: number;
    }): Promise<Hold[]>;
    clean(options: CleanOptions): Promise<CleanResult>;
    /** From now on nobody gets the key; it replaces an earlier freeze. */
    freeze(key: string, request: FreezeRequest): Promise<void>;
    /** False where the key was not frozen. */
    thaw(key: string): Promise<boolean>;
    /** The freeze that is in force. */
    frozen(key: string): Promise<Freeze | null>;
    /** Releases what a run holds, whichever of its jobs claimed it. */
    releaseRun(key: string, run: string): Promise<RunRelease>;
    close(): Promise<void>;
}
