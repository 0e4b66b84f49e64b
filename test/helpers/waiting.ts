import { setTimeout as delay } from "node:timers/promises";

/** For `expect.poll`, where nothing tells when it is so: a slow machine is no failure. */
export const PATIENT = { timeout: 30_000, interval: 20 };

/**
 * What is told by an event comes within this, also on a machine that is busy with other work. What
 * only a silence of `dead-after` (30 s by default) or a timeout would tell takes longer.
 */
export const SOON_MS = 20_000;

/** For what has no event: looks again and again until it is so. The test's own limit ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

/** As `until`, and answers what it saw; fails with the last value after a long time. */
export async function eventually<T>(
  look: () => T | Promise<T>,
  when: (value: T) => boolean,
): Promise<T> {
  const end = performance.now() + PATIENT.timeout;
  for (;;) {
    const value = await look();
    if (when(value)) return value;
    if (performance.now() > end) throw new Error(`still ${JSON.stringify(value)} after 30 s`);
    await delay(PATIENT.interval);
  }
}
