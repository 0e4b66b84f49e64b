import type { Hold } from "../../lock/history.ts";
import { HISTORY_LIMIT, readHolds } from "../../lock/history.ts";
import type { Metadata, MetadataValue } from "../../lock/owner.ts";
import { jsonObject, sha256 } from "../../lock/text.ts";

/**
 * The holds of a key as a small file in the Actions cache, for stores that remember nothing.
 *
 * It is only a history and excludes nobody. The cache cannot say who holds a lock now: an entry cannot be
 * changed once it is saved, two branches do not see each other's, a save that failed looks like one
 * that somebody else made, and entries vanish when there is no room. Two jobs that save at the same
 * time each forget the other. That is good enough for an estimate, but not for a lock.
 */
export interface Memory {
  readonly key: string;
  readonly store: string;
  /** Newest first. */
  readonly holds: readonly Hold[];
}

/** The format's version: entries of another version are not looked for, and not read. */
const VERSION = 1;

/** The file's name in an entry. Part of what the service compares, so it never changes. */
export const MEMORY_FILE = "holdfast-history.json";

/** What all entries of a key begin with: the newest one of these is restored. */
export function entryPrefix(key: string, store: string): string {
  return `holdfast-history-${VERSION}-${sha256(JSON.stringify([store, key])).slice(0, 24)}-`;
}

/** Entries are immutable: each save has a name of its own. */
export function entryName(prefix: string, now: number, random: string): string {
  return `${prefix}${now}-${random}`;
}

/**
 * The metadata that is kept. Everybody who may read the repository's caches may read it: no more than
 * an estimate needs.
 */
const KEPT_METADATA = ["repository", "workflow", "job", "run_url"];

export function writeMemory({ key, store, holds }: Memory): string {
  const kept = holds.slice(0, HISTORY_LIMIT).map((hold) => ({
    ...hold,
    metadata: keptOf(hold.metadata),
  }));
  return `${JSON.stringify({ version: VERSION, key, store, holds: kept })}\n`;
}

function keptOf(metadata: Metadata): Metadata {
  const kept: Record<string, MetadataValue> = {};
  for (const field of KEPT_METADATA) {
    const value = metadata[field];
    if (value !== undefined) kept[field] = value;
  }
  return kept;
}

/** The holds in a file, or null if the file is not ours, of another version, or of another key. */
export function readMemory(text: string, key: string, store: string): Hold[] | null {
  const value = jsonObject(text);
  if (value?.version !== VERSION || value.key !== key || value.store !== store) return null;
  return readHolds(value.holds);
}
