/** What a forge's API said: JSON and the time by its own clock. */
export interface ForgeAnswer {
    readonly body: Readonly<Record<string, unknown>>;
    /** Milliseconds since 1970, by the answer's own Date header. */
    readonly now: number;
}
export interface ForgeOptions {
    /** Sent to this API alone, and never shown. */
    readonly token: string | null;
    /** A file of certificates to trust besides the system's. */
    readonly caFile?: string | undefined;
}
/**
 * A forge's REST API, as far as it is only asked. Every question is conditional, since an answer that
 * has not changed costs nothing of the 1,000 requests an hour that a job's token has.
 */
export declare class Forge {
    #private;
    constructor(api: string, options: ForgeOptions);
    /** Null: the forge does not say, for whatever reason. It never throws. */
    ask(path: string): Promise<ForgeAnswer | null>;
    close(): Promise<void>;
}
