import type { Hold } from "../../../src/lock/history.ts";
import type { Metadata } from "../../../src/lock/owner.ts";
import type { Holder } from "../../../src/lock/status.ts";
import { oneSlot } from "../../../src/lock/status.ts";

export const NOW = Date.parse("2026-11-16T10:00:00.000Z");

/** A hold of so many minutes that was let go. */
export function hold(minutes: number, more: Partial<Hold> = {}): Hold {
  return {
    owner: "ci-github-1-1-deploy",
    since: "2026-11-15T10:00:00.000Z",
    waited: 0,
    held: Math.round(minutes * 60_000),
    fence: 1,
    slot: 0,
    end: "released",
    metadata: {},
    ...more,
  };
}

/** A holder that has held for so many minutes; null: nobody knows how long. */
export function holding(minutes: number | null, metadata: Metadata = {}) {
  return { since: sinceOf(minutes), metadata, reclaimable: null };
}

/** One of a key, that has held for so many minutes; null: nobody knows how long. */
export function holder(owner: string, minutes: number | null = 2): Holder {
  return {
    owner,
    since: sinceOf(minutes),
    ttl: 60,
    fence: 1,
    ...oneSlot(0),
    pid: 1,
    host: "h",
    alive: true,
    reclaimable: null,
    note: null,
    metadata: {},
    heartbeat: null,
  };
}

function sinceOf(minutes: number | null): string | null {
  return minutes === null ? null : new Date(NOW - minutes * 60_000).toISOString();
}
