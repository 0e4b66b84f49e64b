import { isDeepStrictEqual } from "node:util";
import { localOwnerId, type Metadata, parseLocalOwnerId } from "../../../lock/owner.ts";
import type { LockFormat } from "../../../lock/request.ts";
import { defaultTtlSeconds } from "../../../lock/ttl.ts";
import { wholeNumber } from "./fields.ts";
import { parseLock, writeLock } from "./format.ts";
import type { LockRecord, PolicyRecord, SemaRecord } from "./record.ts";

export type Conversion =
  | { readonly state: "already" }
  | { readonly state: "converted"; readonly content: string }
  | { readonly state: "garbage"; readonly why: string }
  /** A lock, but one that the other format has no words for. */
  | { readonly state: "impossible"; readonly why: string };

export interface ConversionContext {
  readonly hostname: string;
  /** Wall-clock milliseconds. */
  readonly now: number;
}

/** What a lock file says, in the other format. Pure. `parseLock` reads back exactly what it writes. */
export function convert(
  record: LockRecord,
  to: LockFormat,
  context: ConversionContext,
): Conversion {
  switch (record.kind) {
    case "unreadable":
      return { state: "garbage", why: record.problem };
    case "holdfast": {
      if (record.format === to) return { state: "already" };
      const converted = { ...record, format: to };
      return readable(writeLock(converted), converted);
    }
    case "sema": {
      if (to === "sema") return { state: "already" };
      const policy = policyOf(record, context);
      return policy === null
        ? { state: "garbage", why: "timestamp is not a time" }
        : readable(writePolicy(policy), policy);
    }
    case "policy": {
      if (to === "sema") return toSema(record);
      if (!record.legacy) return { state: "already" };
      const upgraded = upgrade(record, context);
      return readable(writePolicy(upgraded), upgraded);
    }
  }
}

/** The last check before a file is replaced: nothing is written that would be read as something else. */
function readable(content: string, expected: LockRecord): Conversion {
  // JSON has no -0, which a foreign file may hold.
  const plain: unknown = JSON.parse(JSON.stringify(expected));
  return isDeepStrictEqual(parseLock(Buffer.from(content, "utf8")), plain)
    ? { state: "converted", content }
    : { state: "impossible", why: "its fields cannot be written in that format" };
}

function migrated(metadata: Metadata, now: number): Metadata {
  const policy = { environment: "local", purpose: "interactive" };
  const mark = { migrated: true, migrated_at: new Date(now).toISOString() };
  return { ...policy, ...metadata, ...mark };
}

function policyOf(record: SemaRecord, context: ConversionContext): PolicyRecord | null {
  const since = record.timestamp * 1_000;
  if (since > LAST_INSTANT) return null;
  const { hostname } = context;
  const known = { hostname, process_id: record.pid };
  return {
    kind: "policy",
    legacy: false,
    owner: localOwnerId(record.pid, hostname),
    since,
    ttl: defaultTtlSeconds("local", "interactive"),
    // The policy has no field for a tag. In the metadata every reader of the file keeps it.
    metadata: migrated(record.tag === null ? known : { ...known, tag: record.tag }, context.now),
  };
}

/** Years have four digits in a lock file. */
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");

function upgrade(record: PolicyRecord, context: ConversionContext): PolicyRecord {
  // The policy's own refresh puts a number into an enhanced lock: its owner has its form already.
  const formed = record.owner.startsWith("pid-") || record.metadata.environment !== undefined;
  return {
    ...record,
    legacy: false,
    owner: formed ? record.owner : `pid-${record.owner}`,
    metadata: migrated(record.metadata, context.now),
  };
}

function toSema(record: PolicyRecord): Conversion {
  const pid = pidOf(record);
  if (pid === null)
    return {
      state: "impossible",
      why: `its owner ${JSON.stringify(record.owner)} names no process`,
    };
  const { tag } = record.metadata;
  const shown = typeof tag === "string" && tag.trim() !== "" ? tag : ownerTag(record.owner);
  const sema: SemaRecord = {
    kind: "sema",
    pid,
    timestamp: Math.floor(record.since / 1_000),
    tag: shown?.trim() ?? null,
  };
  return readable(writeSema(sema), sema);
}

const BARE_PID = /^(?:pid-)?(\d{1,10})$/;

function pidOf(record: PolicyRecord): number | null {
  const named = parseLocalOwnerId(record.owner)?.pid ?? BARE_PID.exec(record.owner)?.[1];
  return wholeNumber(named ?? record.metadata.process_id);
}

/** Keeps an owner that is more than its pid as the tag, where the sema tools show it. */
function ownerTag(owner: string): string | null {
  return parseLocalOwnerId(owner) !== null || BARE_PID.test(owner) ? null : owner;
}

function writePolicy({ owner, since, ttl, metadata }: PolicyRecord): string {
  const json = { owner, since: new Date(since).toISOString(), ttl, metadata };
  return `${JSON.stringify(json, null, 2)}\n`;
}

function writeSema({ pid, timestamp, tag }: SemaRecord): string {
  const line = tag === null ? "" : `tag=${tag}\n`;
  return `pid=${pid}\ntimestamp=${timestamp}\n${line}`;
}
