/** Names one process for as long as the machine runs: a pid alone is reused. */
export interface ProcessMark {
    readonly pid: number;
    /**
     * Linux: the start time in ticks since boot. Elsewhere `@` and a time of the calendar in
     * milliseconds, by which the process had started. Null: not known.
     */
    readonly start: string | null;
    /** The boot of the machine that the process runs on. */
    readonly boot: string | null;
    /**
     * The pid namespace, since equal pids in two containers are two processes. If the time namespace is
     * not the machine's own, it follows: start times and the monotonic clock differ in it.
     */
    readonly namespace: string | null;
    readonly host: string;
}
/** Looks at processes of this machine. */
export interface Processes {
    readonly self: ProcessMark;
    /**
     * The mark of a running process of this machine; null where there is none. `new`: it was started
     * just now, so that the present time will do as its start time where the real one is costly.
     */
    mark(pid: number, age?: "new"): ProcessMark | null;
    /** Null where it cannot be known from here: another host, another pid namespace. */
    alive(mark: ProcessMark): boolean | null;
    /** What a living process is and whether it is stopped; null where that cannot be known from here. */
    describe(mark: ProcessMark): ProcessDescription | null;
    /** Like `alive`, for repeated questions: cheaper, and safe if a pid is used again. */
    follow(mark: ProcessMark): Followed;
}
export interface ProcessDescription {
    /** The system's short name of it, without its arguments. */
    readonly name: string;
    /** Stopped by a signal or a debugger. */
    readonly stopped: boolean;
}
export interface Followed {
    alive(): boolean | null;
    close(): void;
}
export interface ProcessesOptions {
    /**
     * On a filesystem of one machine, a mark with this host's name and another boot is from before a
     * restart. On a shared one it may be a second machine of the same name: not known.
     */
    readonly sharedFilesystem: boolean;
}
export declare function openProcesses(options: ProcessesOptions): Processes;
/**
 * Whether two marks are of one process. Calendar times depend on the moment at which each was read, so
 * only their pids can be compared.
 */
export declare function isSameProcess(one: ProcessMark, other: ProcessMark): boolean;
/** Whether a process of this machine has that pid and has not ended. If that is not known: true. */
export declare function exists(pid: number): boolean;
