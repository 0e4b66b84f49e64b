/** Milliseconds at which a lock was granted and at which its release began. */
export interface Turn {
  readonly pid: number;
  readonly granted: number;
  readonly released: number;
}

/** Long enough for the other one to stand in line and watch before the lock is released. */
export const HOLD_MS = 15;

/** Milliseconds of the machine's monotonic clock, which all processes share. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
