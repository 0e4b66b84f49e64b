/** A variable of the environment, cleaned; undefined where it is not set or blank. */
export type Read = (name: string) => string | undefined;
export type Part = string | undefined;
/** What a CI system says about the job that is running. */
export interface CiRun {
    readonly system: string;
    /**
     * What distinguishes this attempt of this job from all others. If a part is missing, the process is
     * named as well.
     */
    readonly run: readonly Part[];
    /** What distinguishes jobs and legs with the same `run`, where the system tells it. */
    readonly within?: readonly Part[];
    /**
     * What all jobs of this attempt of a run share, and no other run on any server: the id that `runOf`
     * gives. Absent if the system has no such id.
     */
    readonly whole?: readonly Part[];
    readonly run_id?: Part;
    /** The number of the run that people know, where it is not its id. */
    readonly run_number?: Part;
    readonly run_attempt?: Part;
    readonly job?: Part;
    readonly workflow?: Part;
    readonly repository?: Part;
    readonly ref?: Part;
    readonly sha?: Part;
    readonly actor?: Part;
    readonly run_url?: Part;
}
/** What is running, or null where it is not this system. */
export type Detector = (env: Read, hostname: string) => CiRun | null;
export declare function isOn(value: Part): boolean;
/** Systems that count retries start at 0; an attempt is counted from 1. */
export declare function attemptAfter(retries: Part): Part;
/** A server's address without scheme and credentials, as the beginning of a run's id. */
export declare function host(url: Part): Part;
/** Without the braces of a UUID. */
export declare function bare(uuid: Part): Part;
/** Joined with slashes, or undefined where a part is missing. */
export declare function path(...parts: Part[]): Part;
