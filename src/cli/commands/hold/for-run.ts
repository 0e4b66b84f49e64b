import { runOf } from "../../../ci/index.ts";
import { forgetLease } from "../../../keeper/client/release.ts";
import { whoHolds } from "../../../keeper/client/verify.ts";
import { leasesIn, leasesOf } from "../../../keeper/lease-file.ts";
import { leaseDirectory } from "../../../keeper/leases.ts";
import { LockError } from "../../../lock/errors.ts";
import type { Run, RunRelease } from "../../../lock/store.ts";
import { jsonText, quote } from "../../../lock/text.ts";
import type { Input } from "../../command.ts";
import { withStore } from "../../context.ts";
import type { Io } from "../../io.ts";
import { say } from "../../output.ts";

/** The run that `--until run` means; null if a keeper has to hold the lock. */
export function runMeant(input: Input, io: Io): Run | null {
  const text = input.text("until");
  if (text === undefined) return null;
  if (text !== "run") {
    throw new LockError(
      "BAD_OPTION",
      `The lock cannot be held until ${quote(text)}: write --until run, or leave it out.`,
    );
  }
  const other = input.flag("detach") ? "detach" : "until-pid";
  if (input.flag("detach") || input.text("until-pid") !== undefined) {
    throw new LockError(
      "BAD_OPTION",
      `--until run and --${other} contradict each other: use one of them.`,
    );
  }
  return thisRun(io);
}

function thisRun(io: Io): Run {
  const run = runOf(io.env);
  if (run !== null) return run;
  throw new LockError(
    "BAD_RUN",
    "There is no CI run here that a lock could belong to: use it in a job of a CI system that names its runs, such as GitHub Actions, Gitea, Forgejo or GitLab, or use acquire KEY --detach --ttl D.",
  );
}

/** `release KEY --run`: releases what this run holds, whichever of its jobs claimed it. */
export async function releaseOfRun(input: Input, io: Io): Promise<number> {
  if (input.text("lease") !== undefined) {
    throw new LockError(
      "BAD_OPTION",
      "--run and --lease contradict each other: name the KEY, since other jobs have other lease files.",
    );
  }
  if (input.key === "" && !input.store.endsWith(".lock")) {
    throw new LockError("BAD_KEY", "The key is missing: write holdfast release KEY --run.");
  }
  const run = thisRun(io);
  const { key, outcome, who, url } = await withStore(input, io, {}, async (store) => {
    const named = store.keyOf(input.key);
    if (store.releaseRun === undefined) {
      throw new LockError(
        "NOT_SUPPORTED",
        `The store ${store.url} knows no runs: use a lock directory, a server of Holdfast's own over http:, or a repository.`,
      );
    }
    const released = await store.releaseRun(named, run);
    forgetLeases(io, named, store.url, run);
    const other = typeof released === "string" ? "" : await whoHolds(store, named, released.heldBy);
    return { key: named, outcome: released, who: other, url: store.url };
  });
  return tell(key, url, outcome, who, input, io);
}

/** Removes this job's lease files of the released lock: they would say that it is held. */
function forgetLeases(io: Io, key: string, store: string, run: Run): void {
  for (const { path, lease } of leasesIn(leaseDirectory(io.env))) {
    const isMeant = leasesOf(lease).some((each) => each.key === key && each.store === store);
    if (lease.run?.id === run.id && isMeant) forgetLease(path);
  }
}

function tell(
  key: string,
  store: string,
  released: RunRelease,
  who: string,
  input: Input,
  io: Io,
): number {
  const holder = typeof released === "string" ? null : released.heldBy;
  const outcome = typeof released === "string" ? released : "not-held";
  if (input.json) io.stdout.write(`${jsonText({ key, store, outcome, reason: null, holder })}\n`);
  const name = JSON.stringify(key);
  const words = {
    released: `${name} was released: it was held for the whole run.`,
    "already-gone": `${name} is not held by this run: nothing to release.`,
    "not-held": `${name} is held by ${who}, not by this run: nothing was released.`,
  };
  if (!input.quiet) say(io, words[outcome]);
  return holder === null ? 0 : 1;
}
