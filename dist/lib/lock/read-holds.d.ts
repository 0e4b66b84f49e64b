import { type Hold } from "./history.ts";
/** Lenient, for what a server or a saved file says: null where it is no hold. */
export declare function readHold(value: unknown): Hold | null;
export declare function readHolds(value: unknown): Hold[];
