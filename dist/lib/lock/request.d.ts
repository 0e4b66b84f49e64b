import type { ClaimRequest } from "./store.ts";
export declare const DEFAULT_LEASE_MS = 30000;
export declare const LEASE_MIN_MS = 1000;
/** A claim request with everything checked and every default filled in. */
export type CheckedRequest = Required<Omit<ClaimRequest, "note">> & {
    readonly note: string | null;
};
/** Checks all of a request before anything is written. */
export declare function checkRequest(request: ClaimRequest): CheckedRequest;
/** Milliseconds to wait; null: without limit. */
export declare function checkTimeout(timeout: number | null | undefined): void;
