import type { HolderEntry } from "../document.ts";
import type { Seen } from "./swap.ts";
/**
 * What one process has seen of a key over time, by its own monotonic clock. Only this says how long
 * a holder was silent or a turn was left untaken: the clocks of two machines are never compared.
 */
export declare class Sightings {
    #private;
    /** Takes note of a document. `isFrozen`: a turn that nobody may take is not left untaken. */
    see({ document, after }: Pick<Seen, "document" | "after">, isFrozen: boolean): void;
    /** Since when the holder has given no sign of life. */
    silentSince({ id }: Pick<HolderEntry, "id">): number | null;
    /** Since when the holder has not refreshed its ttl. */
    unrefreshedSince({ id }: Pick<HolderEntry, "id">): number | null;
    /** Since when the present turn is left untaken. */
    get untakenSince(): number | null;
    /** What was answered about a life not long ago; undefined where it is time to ask. */
    answered(name: string, at: number, askAgain: number): boolean | null | undefined;
    /** The answer that is known, however old. */
    lastAnswer(name: string): boolean | null;
    heard(name: string, answer: boolean | null, at: number): void;
    /** All of it, to compare with another one's. */
    dump(): unknown;
}
