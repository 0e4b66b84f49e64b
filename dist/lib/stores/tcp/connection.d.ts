import type { LockError } from "../../lock/errors.ts";
import { type Reply } from "../../wire/reply.ts";
import { type Request } from "../../wire/request.ts";
import type { Address } from "./address.ts";
export interface ConnectionOptions {
    /** Certificates to trust; left out: the system's. */
    readonly certificates?: readonly string[];
    /** To be kept out of every sentence. */
    readonly secret: string | null;
}
/**
 * One conversation with one server: requests out, replies in the same order. Several may be asked
 * ahead. It fails once, and then every question in it fails with the same error.
 */
export declare class Connection {
    #private;
    readonly address: Address;
    constructor(address: Address, options: ConnectionOptions);
    /** Resolves, with the reason, when nothing can be asked any more. */
    get ended(): Promise<LockError>;
    get failure(): LockError | null;
    /** Rejects with a LockError when the connection ends first. May be left unawaited. */
    ask(request: Request): Promise<Reply>;
    /**
     * Says goodbye and waits for the server's: it has then left every line and released everything.
     * A server that does not notice is not waited for long.
     */
    leave(): Promise<void>;
    /** Closes at once. Every question that still waits for a reply is told `reason`. */
    destroy(reason?: LockError): void;
    /** Whether it keeps this process running. */
    keepAlive(wanted: boolean): void;
}
