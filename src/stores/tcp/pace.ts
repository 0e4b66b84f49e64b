import type { Pace } from "../remote/lease-clock.ts";

/** dflockd's default, and what a server that does not tell is taken to have. */
const USUAL_PATIENCE_MS = 23_000;

/**
 * A server cuts off who is silent for its read timeout, and with it frees the lock, however long its
 * lease. So a holder speaks three times as often, and gives up while there is time left for its
 * command to end. Ours tells its timeout; a longer one than usual is not relied upon.
 */
export function tcpPace(readTimeoutSeconds?: number): Pace {
  const told = Number(readTimeoutSeconds) * 1_000;
  const serverPatience = told > 0 ? Math.min(told, USUAL_PATIENCE_MS) : USUAL_PATIENCE_MS;
  return {
    serverPatience,
    silenceLimit: (serverPatience * 7) / 23,
    giveUpLimit: (serverPatience * 20) / 23,
  };
}
