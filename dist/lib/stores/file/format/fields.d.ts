import type { LockFormat } from "../../../lock/request.ts";
import type { OwnRecord } from "./record.ts";
/** Counts from 1; a reader that meets a later one treats the lock as held and reads what it knows. */
export declare const RECORD_VERSION = 1;
/** Our own fields, by the names that both formats use. */
export type Fields = Record<string, unknown>;
export declare function ownFields(record: OwnRecord): Fields;
interface Common {
    readonly format: LockFormat;
    readonly owner: string;
    readonly note: string | null;
    readonly ttl: number;
    readonly metadata: unknown;
}
/** Null where a field that must be there is not, or is not what it should be. */
export declare function readOwnFields(fields: Fields, common: Common): OwnRecord | null;
export declare function wholeNumber(value: unknown): number | null;
/** ISO 8601 to milliseconds; only what `Date` can also write again. */
export declare function instant(value: unknown): number | null;
export {};
