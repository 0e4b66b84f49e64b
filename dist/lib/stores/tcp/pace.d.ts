import type { Pace } from "../remote/lease-clock.ts";
/**
 * A server cuts off who is silent for its read timeout, and with it frees the lock, however long its
 * lease. So a holder speaks three times as often, and gives up while there is time left for its
 * command to end. Ours tells its timeout; a longer one than usual is not relied upon.
 */
export declare function tcpPace(readTimeoutSeconds?: number): Pace;
