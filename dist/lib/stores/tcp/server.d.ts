import { type LockError } from "../../lock/errors.ts";
import type { Reply } from "../../wire/reply.ts";
import { type Request } from "../../wire/request.ts";
import { type Stats } from "../../wire/stats.ts";
import type { StoreOptions } from "../options.ts";
import type { Pace } from "../remote/lease-clock.ts";
import type { Address } from "./address.ts";
import { Connection } from "./connection.ts";
/** From the first packet to the first answer: a server far away and busy needs a second or two. */
export declare const GREETING_MS = 10000;
/** A connection on which the server has said who it is. */
export interface Greeted {
    readonly connection: Connection;
    /** The answer to the first request. */
    readonly stats: Stats;
}
export interface GreetingOptions {
    readonly signal?: AbortSignal;
    /** Milliseconds. */
    readonly patience?: number;
    /** False: it does not keep this process running. */
    readonly keepAlive?: boolean;
}
/** One lock server, as its clients know it: how to reach it, and what it turned out to be. */
export declare class LockServer {
    #private;
    readonly address: Address;
    constructor(address: Address, options: StoreOptions);
    /** Whether its tokens carry a fence and its stats names; null: not yet known. */
    get isOurs(): boolean | null;
    /** How often its holders have to speak. */
    get pace(): Pace;
    /**
     * Opens a connection, shows the token where there is one, and sends `first`: any form of `stats`,
     * which every server answers. Throws what is wrong with the server.
     */
    greet(first: Request, options?: GreetingOptions): Promise<Greeted>;
    /** The content of a reply to `stats`; throws where it is none. */
    statsOf(reply: Reply): Stats;
    /** What an `error…` means that has no meaning of its own for the question. */
    refusal(word: string): LockError;
}
/**
 * How often a holder speaks. A server cuts off a connection that is silent for its read timeout, and
 * with it frees the lock, however long its lease. So a holder speaks three times as often, and gives up while there is time left for its
 * command to end. Ours tells its timeout; a longer one than usual is not relied upon.
 */
export declare function tcpPace(readTimeoutSeconds?: number): Pace;
