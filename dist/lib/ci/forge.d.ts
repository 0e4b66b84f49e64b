import { type Alive, type AliveOptions, type ForgeLife } from "./alive.ts";
/** What a store in a forge's repository needs of the forge: whether other jobs live, and who this is. */
export interface ForgeFacts {
    readonly alive: Alive;
    /** The job of this process. Absent where others could not ask about it: then it has to send heartbeats. */
    readonly life?: ForgeLife;
}
export interface ForgeQuestion extends AliveOptions {
    readonly env: NodeJS.ProcessEnv;
    /** As the user wrote it, or normalised. */
    readonly store: string;
    /** The forge's own id of this job, where the runner tells it. */
    readonly jobId?: string | undefined;
}
/**
 * Finds out whether the life of this job can be told by its forge. It is tried with the job itself: a
 * token that may not read jobs (`actions: read`, in a private repository) would leave a dead holder in
 * place until its ttl is over, where heartbeats end in minutes.
 */
export declare function askForge(question: ForgeQuestion): Promise<ForgeFacts>;
