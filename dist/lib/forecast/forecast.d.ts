import type { Estimate, Hold, ReadHistory } from "../lock/history.ts";
import type { KeyStatus, Progress, Waiter } from "../lock/store.ts";
export interface ForecastOptions {
    readonly slots: number;
    /** Null: nothing is remembered, or nobody wants to know. */
    readonly history: ReadHistory | null;
    readonly onProgress: (progress: Progress) => void;
}
/**
 * Adds to the reports of a waiting claim when it will be its turn. The history is read when the
 * claim first has to wait, and again when the holders change: a hold has then become history.
 */
export declare class Forecast {
    #private;
    constructor(options: ForecastOptions);
    readonly update: (progress: Progress) => void;
    /** After this nothing is reported any more: the lock is held, or the line is left. */
    end(): void;
}
/** A status with the turn of everybody in line, and of a claim that would join it now. */
export interface ForecastStatus extends KeyStatus {
    readonly waiters: readonly (Waiter & {
        readonly estimate: Estimate | null;
    })[];
    readonly estimate: Estimate | null;
}
export declare function forecastStatus(status: KeyStatus, holds: readonly Hold[], now: number): ForecastStatus;
