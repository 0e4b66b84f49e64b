import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { LockFormat } from "../../../src/lock/request.ts";
import { parseLock } from "../../../src/stores/file/format/format.ts";
import { migrateLockFile } from "../../../src/stores/file/migrate.ts";
import { temporaryDirectory } from "../directories.ts";

export const SECONDS = 1_703_520_000;
export const SINCE = new Date(SECONDS * 1_000).toISOString();

/** A directory with one lock file in it, and that file's migration. */
export function lockWith(content: string, name = "k.lock") {
  const directory = temporaryDirectory();
  const path = join(directory, name);
  writeFileSync(path, content);
  return {
    directory,
    path,
    text: () => readFileSync(path, "utf8"),
    record: () => parseLock(readFileSync(path)),
    migrate: (to: LockFormat) => migrateLockFile(path, { to, owner: "me", user: "ann" }),
  };
}

export const OLD = (owner: unknown, more = {}) =>
  JSON.stringify({ owner, since: SECONDS * 1_000, ttl: 60, ...more });
export const MIGRATED = { migrated: true, migrated_at: expect.stringMatching(/^\d{4}-.*Z$/) };
