import type { Store } from "../../src/lock/store.ts";
import { openStore } from "../../src/stores/open.ts";

/** As a user meets it; or, in a repository, with waits that are seconds where they would be minutes. */
export type Times = "usual" | "short";

/** As seldom as a server and this machine share their cores with all that wait. */
const POLL = [300, 600, 1_000] as const;
/** Longer than a busy machine takes to run a claim that waits. */
const GRACE_MS = 15_000;
/** A holder renews nothing while it releases: as with the usual times, that is over before silence is death. */
const RELEASE_MS = 10_000;

/** Opens a place's store in this process. */
export async function openPlace(url: string, times: Times): Promise<Store> {
  if (times === "usual") return openStore(url);
  const { DEATHS, openQuick } = await import("../unit/stores/engines/git/opener.ts");
  const slowly = { poll: POLL, farPoll: POLL[2], grace: GRACE_MS, releasePatience: RELEASE_MS };
  return openQuick(url, { ...DEATHS, ...slowly });
}
