import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect } from "vitest";
import { parseKey } from "../../../src/lock/key.ts";
import {
  checkMetadata,
  METADATA_FIELDS,
  type MetadataValue,
  parseNote,
  parseOwnerId,
} from "../../../src/lock/owner.ts";
import type { LockFormat } from "../../../src/lock/request.ts";
import { hasControl } from "../../../src/lock/text.ts";
import { parseLock, writeLock } from "../../../src/stores/file/format/format.ts";
import type { OwnRecord } from "../../../src/stores/file/format/record.ts";
import { migrateLockFile } from "../../../src/stores/file/migrate.ts";
import { anyText } from "../../unit/lock/arbitraries.ts";
import { temporaryDirectory } from "../directories.ts";

function accepted(check: (text: string) => unknown): (text: string) => boolean {
  return (text) => {
    try {
      check(text);
      return true;
    } catch {
      return false;
    }
  };
}

const time = fc.integer({ min: 0, max: Date.parse("9999-12-31T23:59:59.999Z") });
const startTime = fc.option(fc.nat().map(String));

const metadataField = fc.constantFrom(
  ...METADATA_FIELDS.filter((field) => field !== "environment" && field !== "purpose"),
);
const metadataValue: fc.Arbitrary<MetadataValue> = fc.oneof(
  anyText.filter(accepted((hostname) => checkMetadata({ hostname }))),
  // JSON has no -0.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
  fc.boolean(),
);

/** Any record that a claim can lead to, with everything that users may put into it. */
export const ownRecord: fc.Arbitrary<OwnRecord> = fc.record({
  kind: fc.constant("holdfast"),
  format: fc.constantFrom("sema", "json"),
  key: anyText.filter(accepted(parseKey)),
  owner: anyText.filter(accepted(parseOwnerId)),
  note: fc.option(anyText.map(parseNote).filter((note) => note !== "")),
  metadata: fc.dictionary(metadataField, metadataValue, { noNullPrototype: true }),
  fence: fc.nat(Number.MAX_SAFE_INTEGER),
  slot: fc.nat(999),
  slots: fc.integer({ min: 1, max: 1_000 }),
  digest: fc.stringMatching(/^[0-9a-f]{64}$/),
  process: fc.record({
    pid: fc.integer({ min: 1, max: 2 ** 22 }),
    start: startTime,
    boot: fc.option(fc.uuid()),
    namespace: fc.option(fc.nat().map((inode) => `pid:[${inode}]`)),
    host: fc.stringMatching(/^[A-Za-z0-9.-]{1,60}$/),
  }),
  covered: fc.option(fc.record({ pid: fc.integer({ min: 1, max: 2 ** 22 }), start: startTime })),
  run: fc.option(
    fc.record({
      id: anyText.filter((id) => id !== "" && id.isWellFormed() && !hasControl(id)),
      forge: fc.option(
        fc.record({
          api: fc.webUrl(),
          repository: fc.constant("acme/shop"),
          run: fc.nat().map(String),
          attempt: fc.nat().map(String),
        }),
      ),
      sharers: fc.array(fc.stringMatching(/^[0-9a-f]{64}$/), { maxLength: 3 }),
    }),
  ),
  acquired: time,
  refreshed: time,
  // Written in whole milliseconds.
  refreshedMonotonic: fc.nat(),
  ttl: fc
    .integer({ min: 1_000, max: 366 * 86_400_000 })
    .map((milliseconds) => milliseconds / 1_000),
  deadAfter: fc.integer({ min: 1_000, max: 366 * 86_400_000 }),
  beat: fc.nat(),
  beaten: time,
});

const fieldName = fc.constantFrom(
  "pid",
  "timestamp",
  "tag",
  "owner",
  "ttl",
  "holdfast",
  "key",
  "fence",
  "slot",
  "slots",
  "lease_ms",
  "beat",
  "beaten",
  "acquired",
  "refreshed",
  "process_id",
  "since",
  "metadata",
  "run",
  "run_forge",
  "run_sharers_sha256",
);
const fieldValue = fc.oneof(
  anyText,
  fc.nat().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.json(),
);
/** Bytes of every kind, from noise to files that are nearly right. */
export const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  anyText.map((text) => Buffer.from(text)),
  fc
    .array(fc.tuple(fieldName, fieldValue), { maxLength: 25 })
    .map((fields) => Buffer.from(fields.map(([name, value]) => `${name}=${value}\n`).join(""))),
  fc
    .dictionary(fieldName, fc.jsonValue())
    .map((json) => Buffer.from(JSON.stringify({ ...json, holdfast: json }))),
  fc
    .tuple(ownRecord, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([record, part]) => Buffer.from(writeLock(record)).subarray(0, -part * 400)),
);

/** Some record to start from, for tests that change a field or two. */
export const EXAMPLE: OwnRecord = {
  kind: "holdfast",
  format: "sema",
  key: "production",
  owner: "ci-github-456-1-deploy",
  note: "v1.2.3",
  metadata: { ci_system: "github", run_id: "456" },
  fence: 1_763_287_200_001_000,
  slot: 0,
  slots: 1,
  digest: "0".repeat(64),
  process: {
    pid: 4711,
    start: "216257",
    boot: "4226b6d1-9a97-4201-bd24-8a4d96f0f03c",
    namespace: "pid:[4026531836]",
    host: "runner-3",
  },
  covered: null,
  run: null,
  acquired: Date.parse("2026-11-16T10:00:00.000Z"),
  refreshed: Date.parse("2026-11-16T10:00:00.000Z"),
  refreshedMonotonic: 123_456,
  ttl: 86_400,
  deadAfter: 30_000,
  beat: 0,
  beaten: Date.parse("2026-11-16T10:00:00.000Z"),
};

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
