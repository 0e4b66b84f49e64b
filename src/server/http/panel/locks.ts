import type { Hold } from "../../../lock/history.ts";
import type { Freeze, PastFreeze } from "../../../lock/status.ts";
import type { OneSlot } from "../../../lock/store.ts";
import type { HolderJson, KeyJson } from "../../observers/describe.ts";
import type { Picture } from "../../observers/events.ts";
import { Problem } from "../exchange.ts";

type Told<T> = T | Promise<T>;

/**
 * What the page and `/admin/` ask and tell, wherever the locks live: in this server's table
 * (`table-locks.ts`), or in any store (`store-page/`). What fails is a Problem, for the reader.
 */
export interface Locks extends Picture {
  /** Resolves when the picture is new enough to be shown. */
  ready(): Told<void>;
  /** Free keys that are remembered. */
  idle(): Iterable<string>;
  /** A key of the picture, as people write it. The methods below take it like that. */
  shown(key: string): string;
  /** One key with a long part of its line. */
  look(key: string): Told<KeyJson>;
  /** What is over, the newest first. */
  past(key: string, limit: number): Told<Past>;
  /** Keys and their last holds, the newest first. */
  recent(): Told<Iterable<Recent>>;
  /** Takes the key from its holders. */
  break(key: string, breaking: Breaking): Told<readonly HolderJson[]>;
  freeze(key: string, only: OneSlot, freezing: Freezing): Told<Freeze>;
  /** Null: there was no freeze. */
  thaw(key: string, only: OneSlot, who: Who): Told<Freeze | null>;
}

export interface Past {
  readonly holds: readonly Hold[];
  /** Those that are over. */
  readonly freezes: readonly PastFreeze[];
}

export interface Recent {
  /** As people write it. */
  readonly key: string;
  readonly isFree: boolean;
  readonly last: Hold;
}

/** In whose name something is done; null: nobody was named. */
export interface Who {
  readonly by: string | null;
}

export interface Freezing extends Who {
  readonly reason: string;
  /** Milliseconds; null: until it is thawed. */
  readonly duration: number | null;
}

export interface Breaking extends Who {
  readonly reason: string;
  /** Only the holder of this slot; null: all. */
  readonly slot: number | null;
  /** Only the hold with this fence, which the operator saw; null: whoever holds it now. */
  readonly fence: number | null;
}

/** When the lock went on to the next holder meanwhile, that one must not be broken in place of the first. */
export function notHeldAnyMore(fence: number): Problem {
  return new Problem(
    409,
    "Not held any more",
    `The hold with fence ${fence} is over: nothing was broken. Look who holds the lock now.`,
  );
}
