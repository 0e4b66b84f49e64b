import type { Place } from "../disk/place.ts";
import { type Steps } from "./world.ts";
/** What a key remembers while it is free. */
export interface Memory {
    readonly fence: number | null;
    readonly slots: number;
    readonly key: string | null;
}
/**
 * The fence file has a first line of fixed width, rewritten in place in one write, so that a crash
 * leaves either the old number or the new one. The key follows, for names that had to be cut.
 */
export declare function recall(place: Place): Steps<Memory>;
export declare function parseMemory(text: string): Memory;
export declare function remember(place: Place, fence: number, slots: number): Steps<void>;
