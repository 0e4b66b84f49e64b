import { writeFileSync } from "node:fs";

let stopping: AbortController | null = null;

/** Fires on SIGTERM and SIGINT, which tell the keeper to stop. A closed terminal (SIGHUP) does not. */
export function stopSignals(): AbortSignal {
  if (stopping !== null) return stopping.signal;
  const controller = new AbortController();
  stopping = controller;
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => controller.abort());
  process.on("SIGHUP", () => {});
  return controller.signal;
}

/**
 * Asks the system not to kill this process first when memory runs out. The runner makes its children
 * early victims, but a keeper is small, and its end would free the lock.
 */
export function spareFromMemoryPressure(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "0");
  } catch {
    // Only a privileged process may lower it.
  }
}
