import type { LockFormat } from "../../../lock/request.ts";
import type { LockRecord } from "./record.ts";
export type Conversion = {
    readonly state: "already";
} | {
    readonly state: "converted";
    readonly content: string;
} | {
    readonly state: "garbage";
    readonly why: string;
}
/** A lock, but one that the other format has no words for. */
 | {
    readonly state: "impossible";
    readonly why: string;
};
export interface ConversionContext {
    readonly hostname: string;
    /** Wall-clock milliseconds. */
    readonly now: number;
}
/** What a lock file says, in the other format. Pure. What it writes is what `parseLock` reads back. */
export declare function convert(record: LockRecord, to: LockFormat, context: ConversionContext): Conversion;
