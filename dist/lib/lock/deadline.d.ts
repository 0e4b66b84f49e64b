/** A signal that fires when the caller's signal does or the time is over, and can tell which. */
export declare class Deadline {
    #private;
    timedOut: boolean;
    constructor(timeout: number | null, source?: AbortSignal);
    get signal(): AbortSignal;
    clear(): void;
}
