import { writeFileSync } from "node:fs";

let stopping: AbortController | null = null;

/** SIGTERM and SIGINT tell the keeper to stop; a closed terminal is not a reason to. */
export function stopSignals(): AbortSignal {
  if (stopping !== null) return stopping.signal;
  const controller = new AbortController();
  stopping = controller;
  for (const name of ["SIGTERM", "SIGINT"] as const) process.on(name, () => controller.abort());
  process.on("SIGHUP", () => {});
  return controller.signal;
}

/**
 * The runner makes its children early victims when memory runs out. A keeper is small, and its end
 * would open the lock: it asks to be spared, where the system lets it.
 */
export function spareFromMemoryPressure(): void {
  try {
    writeFileSync("/proc/self/oom_score_adj", "0");
  } catch {
    // Only a privileged process may lower it.
  }
}
