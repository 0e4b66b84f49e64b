import type { Clock } from "../../../lock/time.ts";
import type { Processes } from "../../../machine/processes.ts";
import { type Steps, type World } from "../protocol/world.ts";
import type { GuardPool } from "./guard-pool.ts";
export interface RealWorldOptions {
    readonly clock: Clock;
    readonly processes: Processes;
    readonly guards: GuardPool;
    readonly mode: number | null;
    readonly sync: boolean;
    /** The filesystem is shared between machines: no events, passing errors. */
    readonly shared: boolean;
    readonly prepare: () => void;
    readonly cancel?: AbortSignal;
    readonly patience?: number;
    readonly onStuck?: (trouble: string | null) => void;
    readonly onWait?: () => void;
}
/** A world that runs the protocol's steps, patiently where the filesystem is a network's. */
export interface RealWorld extends World {
    run<T>(steps: Steps<T>): Promise<T>;
}
/** The world of one claim, holding or command: the real disk, processes and time. */
export declare function openWorld(options: RealWorldOptions): RealWorld;
