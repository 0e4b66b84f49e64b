/** A timer for any length of time; one that is beyond Node's own goes in several stretches. */
export declare class Alarm {
    #private;
    constructor(milliseconds: number, ring: () => void);
    cancel(): void;
}
