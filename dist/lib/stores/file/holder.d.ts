import type { Hold as PastHold } from "../../lock/history.ts";
import type { ClaimRequest, Holding, Lease } from "../../lock/store.ts";
import type { StoreOptions } from "../options.ts";
import type { Auditor } from "./audit/entry.ts";
import type { Place } from "./disk/place.ts";
import { type RealWorld, type RealWorldOptions } from "./disk/world.ts";
import type { Grant } from "./protocol/take.ts";
import { Site } from "./site.ts";
export declare function openFileHolder(store: string, options: StoreOptions): FileHolder;
/** Holds locks of a file store. A keeper needs only this, since its lock was claimed for it by another process. */
export declare class FileHolder {
    #private;
    readonly url: string;
    constructor(site: Site);
    adopt(lease: Lease, options?: Pick<ClaimRequest, "refresh">): Promise<Holding>;
    hold(place: Place, lease: Lease, grant: Grant, { refresh }: Pick<ClaimRequest, "refresh">): Holding;
    history(key: string, { limit }: {
        limit: number;
    }): Promise<PastHold[]>;
    close(): Promise<void>;
    /** The writer of audit lines: this process, or the one for which it acts. */
    auditor(pid?: number): Auditor;
    /** Makes the store's directory where it is missing. `once`: not again where it was there before. */
    prepare(once?: "once"): void;
    open(place: Place | null, more?: Partial<RealWorldOptions>): RealWorld;
}
