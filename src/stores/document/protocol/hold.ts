import type { ReleaseOutcome } from "../../../lock/store.ts";
import type { HolderEntry, KeyDocument } from "../document.ts";
import { release } from "../operations/end.ts";
import { renew } from "../operations/keep.ts";
import { isRefusal, type Moment } from "../operations/state.ts";
import { livesOfLine } from "./judge.ts";
import { amend, look, type Seen } from "./swap.ts";
import { type Steps, step } from "./world.ts";

/** How a hold is found: by the claim that made it, or by a lease's fence and its token's digest. */
export type Find = (document: KeyDocument) => HolderEntry | undefined;

export function byClaim(claim: string): Find {
  return ({ holders }) => holders.find(({ id }) => id === claim);
}

export function byLease({ fence, digest }: { fence: number | null; digest: string }): Find {
  return ({ holders }) =>
    holders.find(
      (holder) =>
        holder.fence === fence && (holder.digest === digest || holder.sharers?.includes(digest)),
    );
}

/** Releases a hold, and promotes the next in line if it is known to live. `latest`: as for `amend`. */
export function* releaseSteps(
  key: string,
  find: Find,
  latest: Seen | null = null,
): Steps<ReleaseOutcome> {
  return yield* amend<ReleaseOutcome>(
    key,
    function* ({ document }) {
      const holder = find(document);
      if (holder === undefined) return { settled: "already-gone" };
      const lives = yield* livesOfLine(document);
      const next = release(document, holder, lives, yield* moment());
      return isRefusal(next) ? { settled: "already-gone" } : { next, result: "released" };
    },
    undefined,
    latest,
  );
}

/** Renews a hold. Null if it is no longer there, which only a strong read says. */
export function* renewSteps(
  key: string,
  find: Find,
  refreshes: boolean,
): Steps<KeyDocument | null> {
  return yield* amend<KeyDocument | null>(key, function* ({ document }) {
    const holder = find(document);
    if (holder === undefined) return { settled: null };
    const next = renew(document, { id: holder.id, refreshes }, yield* moment());
    return isRefusal(next) ? { settled: null } : { next, result: next };
  });
}

/** Looks whether a hold is still there. If a read that may lag denies it, a strong read decides. */
export function* holdingSteps(
  key: string,
  find: Find,
): Steps<{ readonly seen: Seen; readonly holder: HolderEntry | undefined }> {
  const seen = yield* look(key, false);
  const holder = find(seen.document);
  if (holder !== undefined) return { seen, holder };
  const strong = yield* look(key, true);
  return { seen: strong, holder: find(strong.document) };
}

export function* moment(): Steps<Moment> {
  return { ...(yield* step("now")), nonce: yield* step("nonce") };
}
