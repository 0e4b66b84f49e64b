import type { ForgeRun } from "../../lock/store.ts";
/**
 * What a holder's life hangs on, so that others can find out whether it is still there. It is seen
 * from other machines, so it is never a pid.
 */
export type Life = SessionLife | JobLife | RunLife | UntilLife | HeartbeatLife;
/** A process that renews its session at the register. */
export interface SessionLife {
    readonly kind: "session";
    readonly id: string;
}
/** A CI job that its forge can be asked about. */
export interface JobLife extends ForgeRun {
    readonly kind: "job";
    /** The forge's id of the job. If the forge gives none, the runner's name finds the job in its run. */
    readonly job: string | null;
    readonly runner: string | null;
}
/** All jobs of one attempt of a run: it outlives the job that claimed. */
export interface RunLife extends ForgeRun {
    readonly kind: "run";
}
/** A fixed end, for detached holds. Null: the ttl, counted from the grant. */
export interface UntilLife {
    readonly kind: "until";
    /** ISO 8601. */
    readonly at: string | null;
}
/** A holder that renews its entry in the document, if neither session nor job can be asked. */
export interface HeartbeatLife {
    readonly kind: "heartbeat";
}
/**
 * Asks a forge whether a job or a run is still alive. Null: it is not known, for instance because the forge does
 * not answer; then no lock is taken. It must not throw, and it answers null if the signal fires.
 */
export type Alive = (life: JobLife | RunLife, signal: AbortSignal) => Promise<boolean | null>;
/** Names a life, so that what was asked about it can be remembered. */
export declare function lifeName(life: JobLife | RunLife): string;
/** Lenient: a life that cannot be understood, perhaps of a later version, is one that nobody can judge. */
export declare function readLife(value: unknown): Life | null;
