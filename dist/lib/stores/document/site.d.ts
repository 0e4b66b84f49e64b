import { type Clock } from "../../lock/time.ts";
import type { Alive, Life } from "./life.ts";
import { type Steps } from "./protocol/world.ts";
import type { Register } from "./register.ts";
import { RegisterWorld, type WorldOptions } from "./register-world.ts";
import { type Timing } from "./timing.ts";
/** What a document store may be told beyond its register. */
export interface DocumentOptions {
    /** What the holds' lives hang on. Default: a beacon where the register has them, else a heartbeat. */
    readonly life?: Life;
    /** Asks the forge whether a job or a run lives. Default: nothing is known. */
    readonly alive?: Alive;
    /** Only for tests: shorter times. */
    readonly timing?: Partial<Timing>;
    readonly clock?: Clock;
    /** One sentence for the log: the register is away, or asks for patience. */
    readonly onTrouble?: (sentence: string) => void;
}
/** What all parts of one open store share. */
export declare class Site {
    #private;
    readonly register: Register;
    readonly timing: Timing;
    readonly clock: Clock;
    readonly life: Life | undefined;
    constructor(register: Register, options: DocumentOptions);
    get url(): string;
    /** Claims that still wait have to leave their lines. */
    get closing(): AbortSignal;
    get closed(): AbortSignal;
    world(key: string, options: Pick<WorldOptions, "patience" | "signal" | "onStanding">): RegisterWorld;
    /** Runs steps; a register that is away is tried again for `patience` milliseconds. */
    run<T>(key: string, patience: number, steps: Steps<T>): Promise<T>;
    /** Nothing but a LockError leaves the store, also when it is closed under a call. */
    explained<T>(work: Promise<T>): Promise<T>;
    /** One sentence for the log. */
    tell(sentence: string): void;
    /** Something that `close` waits for. */
    awaited(work: Promise<unknown>): void;
    close(): Promise<void>;
}
