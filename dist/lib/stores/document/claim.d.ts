import type { ClaimOptions, ClaimRequest, Holding } from "../../lock/store.ts";
import type { Life } from "./life.ts";
import type { Site } from "./site.ts";
/** What a claim may say beyond what every store knows. */
export interface DocumentRequest extends ClaimRequest {
    /** What the hold's life hangs on. Default: the store's, else a beacon, else a heartbeat. */
    readonly life?: Life;
    /** The run and attempt that the lock belongs to: later claims with the same text share it. */
    readonly run?: string;
    /** `newest`: a newer claim of the kind ends the older ones that still wait. */
    readonly line?: "fifo" | "newest";
}
/** Claims a key: lights the beacon, takes its turn, and gives back what is held. */
export declare function claimKey(site: Site, request: DocumentRequest, options: ClaimOptions): Promise<Holding>;
export declare function digestOf(token: string): string;
