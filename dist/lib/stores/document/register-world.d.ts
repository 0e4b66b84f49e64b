import type { Clock } from "../../lock/time.ts";
import type { Alive, JobLife, RunLife } from "./life.ts";
import type { Phase, Standing, Wake, World } from "./protocol/world.ts";
import type { CallOptions, Register, Swap, Version } from "./register.ts";
import type { Timing } from "./timing.ts";
export interface WorldOptions {
    readonly key: string;
    readonly register: Register;
    readonly timing: Timing;
    readonly clock: Clock;
    readonly alive: Alive;
    /** Milliseconds that a register which does not answer is tried again; null: without limit. */
    readonly patience: number | null;
    /** The claim's time ran out, or its signal fired. It ends waits and reads, never a swap. */
    readonly signal?: AbortSignal;
    /** The store was closed: it ends everything. */
    readonly closed: AbortSignal;
    readonly onStanding?: (standing: Standing, trouble: string | null) => void;
    /** One sentence for the log: the register is away, or asks for patience. */
    readonly onTrouble?: (sentence: string) => void;
}
/** The register as the protocol's world: tries again what may pass, and gives up when it is time. */
export declare class RegisterWorld implements World {
    #private;
    constructor(options: WorldOptions);
    /** How the claim stood when it was last told. */
    get standing(): Standing | null;
    read(strong: boolean): Promise<Version>;
    swap(version: string | null, next: string): Promise<Swap>;
    lit(ids: readonly string[]): Promise<ReadonlySet<string> | null>;
    alive(life: JobLife | RunLife): Promise<boolean | null>;
    wait(version: string | null, pause: number): Promise<Wake>;
    backOff(times: number): Promise<Wake>;
    phase(phase: Phase): void;
    report(standing: Standing): void;
    nonce(): string;
    now(): number;
    monotonic(): number;
    /** Calls the register outside of the protocol's steps, with the same patience. */
    call<T>(call: (options: CallOptions) => Promise<T>): Promise<T>;
}
