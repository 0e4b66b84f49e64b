import { type FSWatcher, watch as watchFile } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import type { Wake, Watch, World } from "../protocol/world.ts";
import { isPassing } from "./network.ts";

/** How often to look as well: events can be missed (a filesystem without them, a limit on watches). */
const SAFETY_POLL_MS = 1_000;
/** How often to look if there are no events at all. */
const UNWATCHED_POLL_MS = 100;
/** Node's timers have a limit; a waiter that wakes once an hour does no harm. */
const SLEEP_LIMIT_MS = 3_600_000;

type Senses = Pick<World, "inode" | "alive" | "monotonic">;

/**
 * Sleeps until a watched file is gone or replaced, a watched process is gone, the review is due, or the claim is
 * cancelled or ready. It watches first and looks afterwards, so that no change falls in between.
 */
export function waitFor(
  watch: Watch,
  senses: Senses,
  { cancel, ready }: Record<"cancel" | "ready", AbortSignal | undefined>,
  events: boolean,
): Promise<Wake> {
  return new Promise((resolve, reject) => {
    const timers: NodeJS.Timeout[] = [];
    const watchers: FSWatcher[] = [];

    const settle = (wake: Wake) => {
      close();
      resolve(wake);
    };
    const close = () => {
      for (const timer of timers) clearTimeout(timer);
      for (const watcher of watchers) watcher.close();
      cancel?.removeEventListener("abort", onCancel);
      ready?.removeEventListener("abort", onReady);
    };
    const onCancel = () => settle("cancelled");
    const onReady = () => settle("changed");
    const guarded = (look: () => boolean) => () => {
      try {
        if (look()) settle("changed");
      } catch (error) {
        if (isPassing(error)) return;
        close();
        reject(error);
      }
    };
    const filesChanged = () => watch.files.some((file) => senses.inode(file.path) !== file.inode);
    const processGone = () => watch.processes.some((mark) => senses.alive(mark) === false);

    if (cancel?.aborted) return settle("cancelled");
    cancel?.addEventListener("abort", onCancel);
    if (ready?.aborted) return onReady();
    ready?.addEventListener("abort", onReady);
    const everyFileWatched =
      events && watch.files.every((file) => watchOne(file.path, watchers, guarded(filesChanged)));
    const poll = everyFileWatched ? SAFETY_POLL_MS : UNWATCHED_POLL_MS;
    timers.push(setInterval(guarded(filesChanged), poll));
    if (watch.processes.length > 0) timers.push(setInterval(guarded(processGone), watch.every));
    if (watch.reviewAt !== null) {
      const left = Math.max(0, Math.ceil(watch.reviewAt - senses.monotonic()));
      timers.push(setTimeout(() => settle("changed"), Math.min(left, SLEEP_LIMIT_MS)));
    }
    guarded(() => filesChanged() || processGone())();
  });
}

/** Resolves when something in one of these directories has changed, and after `pause` at the latest. */
export async function untilChanged(
  directories: readonly string[],
  pause: number,
  signal: AbortSignal,
): Promise<void> {
  const watchers: FSWatcher[] = [];
  const over = new AbortController();
  const ends = AbortSignal.any([over.signal, signal]);
  const changed = Promise.withResolvers<void>();
  try {
    for (const directory of directories) watchOne(directory, watchers, () => changed.resolve());
    await Promise.race([changed.promise, delay(pause, undefined, { signal: ends })]);
  } finally {
    over.abort();
    for (const watcher of watchers) watcher.close();
  }
}

/** True if events will come. A file that is already gone needs none: the first look finds that. */
export function watchOne(
  path: string,
  watchers: FSWatcher[],
  onEvent: (name: string | null) => void,
): boolean {
  try {
    const watcher = watchFile(path, (_, name) => onEvent(name));
    watcher.on("error", () => watcher.close());
    watchers.push(watcher);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
