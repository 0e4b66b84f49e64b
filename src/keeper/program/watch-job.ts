import { openProcesses, type ProcessMark } from "../../machine/processes.ts";

/** How soon it is noticed that the job is gone; a look costs some 10 µs. */
const WATCH_MS = 1_000;

export interface WatchedJob {
  readonly gone: AbortSignal;
  close(): void;
}

/** Fires when the watched process has ended; from the first moment, since a killed worker stops no pre. */
export function watchJob(watched: ProcessMark | null): WatchedJob {
  const controller = new AbortController();
  const { signal: gone } = controller;
  if (watched === null) return { gone, close: () => {} };
  const followed = openProcesses({ sharedFilesystem: false }).follow(watched);
  const look = () => {
    if (followed.alive() === false) controller.abort();
  };
  look();
  const timer = setInterval(look, WATCH_MS);
  let closed = false;
  return {
    gone,
    close: () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      followed.close();
    },
  };
}
