import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { openProcesses, type ProcessMark } from "../../machine/processes.ts";

/** How soon it is noticed that the job is gone; a look costs some 10 µs. */
const WATCH_MS = 1_000;
/** How many looks in a row must miss the job's directory: a step may remove it and make it again. */
const MISSES = 2;

/** What the keeper watches of a job. */
export interface JobSigns {
  /** The process that runs the job; null where it cannot be seen, as in a container. */
  readonly watched: ProcessMark | null;
  /** The job's temporary directory, RUNNER_TEMP; null outside a runner, and for a lock of no job. */
  readonly jobDirectory: string | null;
}

export interface WatchedJob {
  /** Fires when the job is gone. Its reason is a text that says how that was seen. */
  readonly gone: AbortSignal;
  /** Whether the job's end can be seen even if a step empties the job's directory. */
  readonly isCertain: boolean;
  close(): void;
}

/**
 * Watches a job from the first moment, since a killed worker stops no pre. It is gone when the watched
 * process has ended. That process may outlive the job, as the runners of Gitea and Forgejo do: so it
 * is gone as well when its directory is, or when another job has begun in that directory.
 */
export function watchJob({ watched, jobDirectory }: JobSigns): WatchedJob {
  const controller = new AbortController();
  const followed =
    watched === null ? null : openProcesses({ sharedFilesystem: false }).follow(watched);
  const firstEvent = eventIn(jobDirectory);
  let misses = 0;
  const look = () => {
    if (followed?.alive() === false) controller.abort("the watched process has ended");
    if (jobDirectory === null) return;
    misses = existsSync(jobDirectory) ? 0 : misses + 1;
    if (misses >= MISSES) controller.abort(`the job's directory ${jobDirectory} is gone`);
    const event = firstEvent === null ? null : eventIn(jobDirectory);
    if (event !== null && event !== firstEvent) controller.abort("another job has begun here");
  };
  look();
  const timer = setInterval(look, WATCH_MS);
  let closed = false;
  return {
    gone: controller.signal,
    isCertain: watched !== null || firstEvent !== null,
    close: () => {
      if (closed) return;
      closed = true;
      clearInterval(timer);
      followed?.close();
    },
  };
}

/**
 * The event file in a job's directory, as a text that differs for the next job's; null where there is
 * none. GitHub's runner writes one for each job. GITHUB_EVENT_PATH is not used: in a container it
 * leads to a mount that never shows the next job's file.
 */
function eventIn(jobDirectory: string | null): string | null {
  if (jobDirectory === null) return null;
  try {
    const { dev, ino, birthtimeMs } = statSync(join(jobDirectory, "_github_workflow/event.json"));
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    return null;
  }
}
