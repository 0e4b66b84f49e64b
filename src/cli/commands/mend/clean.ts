import { counted } from "../../../lock/people/names.ts";
import type { CleanProgress } from "../../../lock/store.ts";
import { jsonText, showable } from "../../../lock/text.ts";
import type { Command } from "../../command.ts";
import { staleTimeoutOf, whoCalls, whoIntervenes, withStore } from "../../context.ts";
import { say } from "../../output.ts";

export const cleanCommand: Command = {
  name: "clean",
  summary: "Removes what the dead left: stale locks, tickets, temporary files",
  usage: "[--dry-run] [--stale-timeout D]",
  about: [
    "No lock needs this: the next claim takes over what a dead holder left. It tidies keys that nobody asks for any more.",
  ],
  takes: "nothing",
  options: [
    { name: "dry-run", says: "only say what would be removed" },
    {
      name: "stale-timeout",
      value: "D",
      says: "how old a lock of another tool, or a place of acquire --join of which nothing is known, must be before it can count as stale",
      default: "1h; for a place: none",
    },
  ],
  examples: [
    { line: "holdfast clean --dry-run", says: "see what would go" },
    {
      line: "holdfast clean --store ./locks --stale-timeout 1d",
      says: "keep what is younger than a day",
    },
  ],
  exitCodes: [
    ["0", "done, also where there was nothing to do"],
    ["2", "bad input, or something could not be removed"],
  ],
  async act(input, io) {
    const dryRun = input.flag("dry-run");
    const stale = staleTimeoutOf(input);
    const { user } = whoCalls(io);
    const owner = whoIntervenes(io);
    const { url, removed, failed } = await withStore(input, io, { user }, async (store) => {
      const onProgress = input.quiet ? {} : { onProgress: tellNowAndThen((text) => say(io, text)) };
      const result = await store.clean?.({ dryRun, owner, ...stale, ...onProgress });
      return { url: store.url, removed: [], failed: [], ...result };
    });
    if (input.json) io.stdout.write(`${jsonText({ store: url, dryRun, removed, failed })}\n`);
    else if (!input.quiet) {
      const verb = dryRun ? "would remove" : "removed";
      for (const { path, why } of removed)
        io.stdout.write(`${showable(`${verb} ${path} (${why})`)}\n`);
      if (removed.length === 0) say(io, `nothing to clean in ${url}`);
    }
    for (const { path, why } of failed) say(io, `${path} was not cleaned: ${why}`);
    return failed.length > 0 ? 2 : 0;
  },
};

/** How often progress is shown: a directory with thousands of keys takes minutes. */
const TELL_MS = 3_000;

/** Tells how far it has come, not more often than every few seconds. */
export function tellNowAndThen(
  tell: (text: string) => void,
  now: () => number = performance.now.bind(performance),
): (progress: CleanProgress) => void {
  let last = now();
  return ({ looked, keys, removed }) => {
    if (now() - last < TELL_MS || looked === keys) return;
    last = now();
    tell(`looked at ${looked} of ${counted(keys, "key")}, ${counted(removed, "leftover")} so far`);
  };
}
