/**
 * Since when this process has seen a file's heartbeat unchanged. A watcher elsewhere judges by its
 * own monotonic clock alone; what it has not watched itself, it does not know.
 */
export declare class Sightings {
    #private;
    /** Notes what is seen now and answers since when it has been so. */
    note(what: string, value: string, monotonic: number): number;
}
