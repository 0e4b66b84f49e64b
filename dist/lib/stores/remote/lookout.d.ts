import type { Progress } from "../../lock/store.ts";
/**
 * Looks at the line while a claim stands in it: the claim's own request is busy waiting. It reports
 * the place, and notices a server that forgot the claim.
 */
export declare abstract class Lookout<Answer> {
    #private;
    constructor(onProgress: (progress: Progress) => void);
    /** One look. */
    protected abstract ask(): Promise<Answer>;
    /** Tells what was seen. Gives the milliseconds to the next look; null: the usual ones. */
    protected abstract absorb(answer: Answer): number | null;
    /** Says why waiting is unusual, with what was last known. */
    report(trouble: string): void;
    stop(): void;
    protected get progress(): Progress;
    /** Begins a time in line; `pause`: milliseconds to the first look. */
    protected begin(pause?: number): void;
    protected tell(progress: Progress): void;
    /** Looks in a row that have not found the claim, with this one. */
    protected get absences(): number;
    /** The claim is not in the line. True: so often that the server must have forgotten it. */
    protected isAbsent(isHolder: boolean): boolean;
    protected wasForgotten(): void;
}
