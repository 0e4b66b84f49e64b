import { readMetadata } from "../../../lock/owner.ts";
import type { LockFormat } from "../../../lock/request.ts";
import { SLOTS_LIMIT } from "../../../lock/resources.ts";
import type { ForgeRun } from "../../../lock/store.ts";
import { cleanText, jsonObject } from "../../../lock/text.ts";
import type { OwnRecord, RunHold } from "./record.ts";

/** Counts from 1; a reader that meets a later one treats the lock as held and reads what it knows. */
const RECORD_VERSION = 1;

/** Our own fields, by the names that both formats use. */
export type Fields = Record<string, unknown>;

export function ownFields(record: OwnRecord): Fields {
  return {
    holdfast: RECORD_VERSION,
    key: record.key,
    fence: record.fence,
    slot: record.slot,
    slots: record.slots,
    ...(record.together === undefined ? {} : { slots_together: record.together.join(",") }),
    ...(record.resources === undefined ? {} : { resources: writeNames(record.resources) }),
    acquired: new Date(record.acquired).toISOString(),
    refreshed: new Date(record.refreshed).toISOString(),
    refreshed_uptime: Math.round(record.refreshedMonotonic),
    lease_ms: record.deadAfter,
    // Fixed width: a heartbeat then changes bytes in place and a reader never meets a shifted line.
    beat: String(record.beat).padStart(10, "0"),
    beaten: new Date(record.beaten).toISOString(),
    host: record.process.host,
    process_id: record.process.pid,
    process_start: record.process.start,
    boot: record.process.boot,
    pid_namespace: record.process.namespace,
    covered_pid: record.covered?.pid ?? null,
    covered_start: record.covered?.start ?? null,
    token_sha256: record.digest,
    ...(record.run === null ? {} : runFields(record.run)),
  };
}

/** Names have no comma. */
export function writeNames(names: readonly string[]): string {
  return names.join(",");
}

/** The names of that many slots; null if there are none, or not that many. */
export function readNames(value: unknown, slots: number): readonly string[] | null {
  const names = text(value)?.split(",") ?? [];
  return names.length === slots ? names : null;
}

/** Null if it does not name several slots of the key, its own among them. */
function readTogether(value: unknown, slot: number, slots: number): readonly number[] | null {
  const named = (text(value) ?? "").split(",").map(wholeNumber);
  const together = named.filter((each) => each !== null && each < slots) as number[];
  const isSound = together.length === named.length && together.includes(slot);
  return isSound && together.length > 1 ? together : null;
}

/** Only in the lock of a run: all other files stay as they are. */
function runFields({ id, forge, sharers }: RunHold): Fields {
  return {
    run: id,
    run_forge: forge === null ? null : JSON.stringify(forge),
    run_sharers_sha256: sharers.length === 0 ? null : sharers.join(","),
  };
}

function readRun(fields: Fields): RunHold | null {
  const id = text(fields.run);
  if (id === null) return null;
  const sharers = text(fields.run_sharers_sha256);
  return {
    id,
    forge: readForge(fields.run_forge),
    sharers: sharers === null ? [] : sharers.split(","),
  };
}

function readForge(value: unknown): ForgeRun | null {
  const { api, repository, run, attempt } = jsonObject(String(value)) ?? {};
  const texts = [api, repository, run, attempt];
  if (!texts.every((each) => typeof each === "string")) return null;
  const [one = "", two = "", three = "", four = ""] = texts.map(cleanText);
  return { api: one, repository: two, run: three, attempt: four };
}

interface Common {
  readonly format: LockFormat;
  readonly owner: string;
  readonly note: string | null;
  readonly ttl: number;
  readonly metadata: unknown;
}

/** Null if a necessary field is missing, or a field is not what it should be. */
export function readOwnFields(fields: Fields, common: Common): OwnRecord | null {
  const number = (name: string) => wholeNumber(fields[name]);
  const fence = number("fence");
  const slot = number("slot");
  const slots = number("slots");
  const deadAfter = number("lease_ms");
  const pid = number("process_id");
  const beat = number("beat");
  const acquired = instant(fields.acquired);
  const refreshed = instant(fields.refreshed);
  const beaten = instant(fields.beaten);
  if (fence === null || slot === null || slots === null || deadAfter === null || pid === null)
    return null;
  if (beat === null || acquired === null || refreshed === null || beaten === null) return null;
  if (typeof fields.key !== "string" || !Number.isFinite(common.ttl)) return null;
  // Readers look at every slot up to that number.
  if (slots > SLOTS_LIMIT) return null;
  const coveredPid = number("covered_pid");
  const together = readTogether(fields.slots_together, slot, slots);
  const resources = readNames(fields.resources, slots);
  return {
    kind: "holdfast",
    format: common.format,
    key: cleanText(fields.key),
    owner: common.owner,
    note: common.note,
    metadata: readMetadata(common.metadata),
    fence,
    slot,
    slots,
    ...(together === null ? {} : { together }),
    ...(resources === null ? {} : { resources }),
    digest: text(fields.token_sha256) ?? "",
    process: {
      pid,
      start: text(fields.process_start),
      boot: text(fields.boot),
      namespace: text(fields.pid_namespace),
      host: text(fields.host) ?? "",
    },
    covered: coveredPid === null ? null : { pid: coveredPid, start: text(fields.covered_start) },
    run: readRun(fields),
    acquired,
    refreshed,
    refreshedMonotonic: number("refreshed_uptime") ?? 0,
    ttl: common.ttl,
    deadAfter,
    beat,
    beaten,
  };
}

export function wholeNumber(value: unknown): number | null {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

/** ISO 8601 to milliseconds; only times that `Date` can also write again. */
export function instant(value: unknown): number | null {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\dT/.test(value)) return null;
  const milliseconds = Date.parse(value);
  return Number.isNaN(milliseconds) ? null : milliseconds;
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? cleanText(value) : null;
}
