import type { Storage } from "../storage/types.ts";
import { problem, type Reply, type WholeReply } from "./exchange.ts";

/** How long an answer is held back while the disk takes no writes. */
const TROUBLE_PATIENCE_MS = 5_000;

interface Settling {
  readonly storage: Pick<Storage, "settled" | "trouble">;
}

/** Holds the reply back until what it tells is safe from a crash. Nearly always that is at once. */
export function settle(state: Settling, reply: WholeReply): Reply | Promise<Reply> {
  const settled = state.storage.settled();
  return settled === null ? reply : afterSettling(state, settled, reply);
}

async function afterSettling(
  { storage }: Settling,
  settled: Promise<void>,
  reply: WholeReply,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<"late">((resolve) => {
    // A disk that is only slow is waited for; one that refuses is not.
    timer = setInterval(() => {
      if (storage.trouble !== null) resolve("late");
    }, TROUBLE_PATIENCE_MS);
  });
  const outcome = await Promise.race([settled, patience]);
  clearInterval(timer);
  if (outcome !== "late") return reply;
  return problem(
    503,
    "Storage trouble",
    "The server cannot write to its disk now, so the outcome is not safe yet: ask again.",
    { "retry-after": 5 },
  );
}
