import { isLockError } from "../../lock/errors.ts";
import { AnswerLost } from "./trouble.ts";

/** An attempt that took at least so long was met with silence; one that fails at once would be repeated in vain. */
const SILENCE_MS = 250;

/**
 * Calls again at once what was met with silence, each time on another connection, until it is
 * answered or its signal fires. For signs of life: a dead connection must not cost the lock.
 */
export async function persist<T>(
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (;;) {
    const began = performance.now();
    try {
      return await call();
    } catch (thrown) {
      const error = thrown instanceof AnswerLost ? thrown.why : thrown;
      const isSilence = performance.now() - began >= SILENCE_MS;
      if (signal === undefined || signal.aborted || !isSilence) throw error;
      if (!isLockError(error, "STORE_UNREACHABLE")) throw error;
    }
  }
}

/** How long the answer to a sign of life is waited for, so that there is time for another one. */
export function patienceOf(deadAfter: number): number {
  return Math.max(1_000, deadAfter / 12);
}
