import type { LockFormat } from "../lock/request.ts";
import type { Alive, Life } from "./document/life.ts";
import type { StaleRule } from "./file/protocol/judge.ts";
import type { Variables } from "./variables.ts";
/** What a store may need to know beyond its URL. Each store takes what concerns it. */
export interface StoreOptions {
    /** For relative paths. Default: the process's own. */
    readonly workingDirectory?: string;
    /** The user on whose behalf it is used, for the record. Default: the operating system's user. */
    readonly user?: string;
    /** Lock files: what they are written as. Default sema. */
    readonly format?: LockFormat;
    /** Lock files of foreign tools: when they count as stale. Default both. */
    readonly stale?: StaleRule;
    /** Milliseconds; default one hour. */
    readonly staleTimeout?: number;
    /** Lock files: sync them to the disk. Default true. */
    readonly fsync?: boolean;
    /** Servers: the secret that they ask for. Never logged, never shown. */
    readonly token?: string;
    /** Servers with TLS: a file of certificates to trust besides the system's. */
    readonly caFile?: string;
    /** Lock servers that know jobs by their ID tokens: for whom the token is made out. Default: the store's origin. */
    readonly audience?: string;
    /** The environment that engines and proxies read, such as PGPASSWORD. Default: the process's own. */
    readonly variables?: Variables;
    /** Stores in a forge's repository: the forge's own token for this job, for that forge alone. */
    readonly forgeToken?: string;
    /** Document stores: what the lives of its holds hang on, such as the CI job that claims. */
    readonly life?: Life;
    /** Document stores and lock files: asks a forge whether a holder's job or run is still there. Default: nothing is known. */
    readonly alive?: Alive;
    /** Document stores: told one sentence for the log if the server is away or is rate-limiting requests. */
    readonly onTrouble?: (sentence: string) => void;
}
/** What the environment says about how to use a store, the same for the CLI and the action. */
export declare function environmentOptions(env: NodeJS.ProcessEnv): StoreOptions;
