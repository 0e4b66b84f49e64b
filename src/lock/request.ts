import { DURATION_LIMIT_MS, parseDuration } from "./duration.ts";
import { LockError } from "./errors.ts";
import { parseKey } from "./key.ts";
import { checkMetadata, parseNote, parseOwnerId } from "./owner.ts";
import { DEFAULT_RECLAIM } from "./reclaim.ts";
import { checkResources, SLOTS_LIMIT } from "./resources.ts";
import type { KeyStatus } from "./status.ts";
import type { ClaimRequest, FreezeOptions, Line, OneSlot, Run } from "./store.ts";
import { byteLength, cleanText, hasControl, quote } from "./text.ts";
import { defaultTtlSeconds, isEnvironment, isPurpose, TTL_MIN_MS } from "./ttl.ts";

export const DEFAULT_DEAD_AFTER_MS = 30_000;
/** A shorter silence would let a busy machine lose its own locks. */
const DEAD_AFTER_MIN_MS = 1_000;

/** Nothing refreshes a run's lock: long enough for a deployment of many jobs, and shorter than a working day. */
export const RUN_TTL_MS = 6 * 3_600_000;

/** A claim request with everything checked and every default filled in. */
export type CheckedRequest = Required<
  Omit<ClaimRequest, "note" | "run" | "weight" | "resources">
> & {
  readonly note: string | null;
  readonly run: Run | null;
  readonly weight: number;
  readonly resources: readonly string[] | null;
};

/** Checks all of a request before anything is written. */
export function checkRequest(request: ClaimRequest): CheckedRequest {
  const owner = {
    id: parseOwnerId(request.owner.id),
    metadata: checkMetadata(request.owner.metadata),
  };
  const { environment, purpose } = owner.metadata;
  const policy = defaultTtlSeconds(
    isEnvironment(environment) ? environment : "local",
    isPurpose(purpose) ? purpose : "interactive",
  );
  const fallback = request.run === undefined ? policy * 1_000 : RUN_TTL_MS;
  return {
    key: parseKey(request.key),
    owner,
    ...shareOf(request),
    ttl: atLeast("BAD_TTL", "ttl", request.ttl ?? fallback, TTL_MIN_MS),
    deadAfter: atLeast(
      "BAD_DEAD_AFTER",
      "dead-after",
      request.deadAfter ?? DEFAULT_DEAD_AFTER_MS,
      DEAD_AFTER_MIN_MS,
    ),
    note: request.note === undefined ? null : parseNote(request.note) || null,
    reclaim: request.reclaim ?? DEFAULT_RECLAIM,
    // No process refreshes a run's lock: its ttl is the bound.
    refresh: request.run === undefined && (request.refresh ?? true),
    grace: Math.max(0, request.grace ?? 0),
    line: parseLine(request.line ?? "fifo"),
    run: request.run === undefined ? null : checkRun(request.run),
  };
}

/** How much of a key a claim asks for, and how urgently: checked, with the defaults filled in. */
export function shareOf(
  request: {
    [Name in "slots" | "weight" | "priority" | "resources"]?: ClaimRequest[Name] | undefined;
  },
): Pick<CheckedRequest, "slots" | "weight" | "priority" | "resources"> {
  const resources = request.resources === undefined ? null : checkResources(request.resources);
  const slots = slotsOf(request.slots, resources);
  return {
    slots,
    weight: checkWeight(request.weight ?? 1, slots),
    priority: checkPriority(request.priority ?? 0),
    resources,
  };
}

/** The order in which claims are served, as a user writes it. */
export function parseLine(text: string): Line {
  if (text === "fifo" || text === "newest") return text;
  throw new LockError("BAD_LINE", `The line is ${quote(text)}: use fifo or newest.`);
}

const RUN_ID_LIMIT = 500;

function checkRun(run: Run): Run {
  const { id } = run;
  const isText = id.isWellFormed() && !hasControl(id);
  const isWhole = isText && id.length > 0 && id.length <= RUN_ID_LIMIT;
  if (isWhole) return run;
  throw new LockError(
    "BAD_RUN",
    `The run's id is ${quote(run.id)}: use 1 to ${RUN_ID_LIMIT} characters without control characters.`,
  );
}

const REASON_BYTES_LIMIT = 1_000;

/** Checks all of a freeze before anything is written. */
export function checkFreeze({ owner, reason, duration, ...only }: FreezeOptions): FreezeOptions {
  const isTime = duration === null || (duration > 0 && duration <= DURATION_LIMIT_MS);
  if (!isTime) {
    throw new LockError(
      "BAD_DURATION",
      `The time of the freeze is ${duration} ms: use more than 0 and at most a year, or null for no end.`,
    );
  }
  return { owner: parseOwnerId(owner), reason: checkReason(reason), duration, ...checkOnly(only) };
}

/** Checks which slot alone is meant: by its number, by its name, or none alone. */
export function checkOnly({ slot, resource }: OneSlot): OneSlot {
  if (slot !== undefined && resource !== undefined)
    throw new LockError(
      "BAD_SLOTS",
      "Name the slot by its number or by its resource, not by both.",
    );
  if (slot !== undefined) return { slot: checkSlot(slot) };
  if (resource === undefined) return {};
  checkResources([resource]);
  return { resource };
}

/** The slots of a key, as far as one of them can be meant. */
interface Slots extends Pick<KeyStatus, "slots" | "resources" | "frozenSlots"> {
  /** Somebody holds it or waits for it. */
  readonly isUsed: boolean;
}

/**
 * The number of the slot that is meant; null: all of them. If nobody uses the key and no names of its
 * slots are known, its next claim says how many there are, and their names. So any slot may be meant
 * then; one that has only a name has the last number that is left, until a claim names it.
 */
export function slotMeant(
  key: string,
  { slot, resource }: OneSlot,
  { slots, resources, frozenSlots, isUsed }: Slots,
): number | null {
  if (slot === undefined && resource === undefined) return null;
  // Its name may be one that the claims of now do not know.
  const frozen = frozenSlots.find((each) =>
    resource === undefined ? each.slot === slot : each.resource === resource,
  );
  const meant = frozen?.slot ?? slot ?? resources?.indexOf(resource as string) ?? -1;
  if (frozen !== undefined) return meant;
  if (meant >= 0 && meant < slots) return meant;
  if (resources === null && !isUsed) {
    if (slot !== undefined) return slot;
    let last = SLOTS_LIMIT - 1;
    while (frozenSlots.some((each) => each.slot === last)) last -= 1;
    return last;
  }
  if (resource !== undefined && resources === null)
    throw new LockError(
      "BAD_SLOTS",
      `The slots of ${quote(key)} have no names, so none is ${quote(resource)}: say the slot by its number, from 0.`,
    );
  const names = resources === null ? "" : `, ${resources.join(", ")}`;
  const known = slots === 1 ? "its only slot is 0" : `its slots are 0 to ${slots - 1}`;
  const asked = resource === undefined ? `slot ${slot}` : `resource ${quote(resource)}`;
  throw new LockError("BAD_SLOTS", `The key ${quote(key)} has no ${asked}: ${known}${names}.`);
}

/** A reason for the record, on one line; control characters become spaces. */
function checkReason(text: string): string {
  const reason = cleanText(text.toWellFormed()).trim();
  const bytes = byteLength(reason);
  if (bytes > 0 && bytes <= REASON_BYTES_LIMIT) return reason;
  const wrong = bytes === 0 ? "is missing" : `has ${bytes} bytes`;
  throw new LockError(
    "BAD_REASON",
    `The reason ${wrong}: use 1 to ${REASON_BYTES_LIMIT} bytes that say why.`,
  );
}

function atLeast(
  code: "BAD_TTL" | "BAD_DEAD_AFTER",
  name: string,
  value: number,
  least: number,
): number {
  // Whole milliseconds: a file's reader takes nothing else.
  if (value >= least && value <= DURATION_LIMIT_MS) return Math.round(value);
  throw new LockError(
    code,
    `The ${name} is ${value} ms: use at least ${least / 1_000}s and at most a year.`,
  );
}

/** The ttl as a user writes it: in milliseconds, always with an end. */
export function parseTtl(text: string): number {
  return parseAtLeast("BAD_TTL", "ttl", text, TTL_MIN_MS);
}

/** `dead-after` as a user writes it: in milliseconds, always with an end. */
export function parseDeadAfter(text: string): number {
  return parseAtLeast("BAD_DEAD_AFTER", "dead-after", text, DEAD_AFTER_MIN_MS);
}

function parseAtLeast(
  code: "BAD_TTL" | "BAD_DEAD_AFTER",
  name: string,
  text: string,
  least: number,
): number {
  const value = parseDuration(text, name);
  if (value !== null && value >= least) return value;
  const wrong = value === null ? "has no end" : "is too short";
  throw new LockError(code, `The ${name} ${quote(text)} ${wrong}: use at least ${least / 1_000}s.`);
}

/** The format in which lock files are written. */
export const LOCK_FORMATS = ["sema", "json"] as const;
export type LockFormat = (typeof LOCK_FORMATS)[number];

export function parseFormat(text: string): LockFormat {
  const format = LOCK_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new LockError(
    "BAD_FORMAT",
    `The format ${quote(text)} is not known: use ${LOCK_FORMATS.join(" or ")}.`,
  );
}

/** Milliseconds to wait; null: without limit. */
export function checkTimeout(timeout: number | null | undefined): void {
  if (timeout == null || timeout >= 0) return;
  throw new LockError(
    "BAD_DURATION",
    `The timeout is ${timeout} ms: use 0 not to wait, or null to wait without limit.`,
  );
}

export function parseSlots(text: string): number {
  const slots = /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  return checkSlots(slots, text);
}

export function checkSlots(slots: number, shown = String(slots)): number {
  if (!Number.isInteger(slots) || slots < 1 || slots > SLOTS_LIMIT) {
    throw new LockError(
      "BAD_SLOTS",
      `The number of slots ${quote(shown)} is not a whole number from 1 to ${SLOTS_LIMIT}.`,
    );
  }
  return slots;
}

/** The names are the slots: `slots` may be left out, and must not be another number. */
function slotsOf(slots: number | undefined, resources: readonly string[] | null): number {
  const named = resources?.length;
  if (slots === undefined || named === undefined || slots === named)
    return checkSlots(named ?? slots ?? 1);
  throw new LockError(
    "BAD_RESOURCES",
    `There are ${named} resources, but slots ${slots}: leave slots out, or make them the same.`,
  );
}

/** How many of the slots a claim takes, as a user writes it. */
export function parseWeight(text: string): number | "all" {
  const word = text.trim();
  if (word === "all") return word;
  return /^\d{1,6}$/.test(word) && Number(word) > 0
    ? Number(word)
    : checkWeight(Number.NaN, 1, text);
}

function checkWeight(weight: number | "all", slots: number, shown = String(weight)): number {
  if (weight === "all") return slots;
  if (Number.isInteger(weight) && weight >= 1 && weight <= slots) return weight;
  const most = weight > slots ? `${slots}, which is all of the slots` : "the number of slots";
  throw new LockError(
    "BAD_WEIGHT",
    `The weight ${quote(shown)} is not a whole number from 1 to ${most}: use one that is, or all.`,
  );
}

/** The highest priority; the lowest is its negative. */
export const PRIORITY_LIMIT = 100;

/** A priority, as a user writes it. */
export function parsePriority(text: string): number {
  const word = text.trim();
  return checkPriority(/^[+-]?\d{1,6}$/.test(word) ? Number(word) : Number.NaN, text);
}

function checkPriority(priority: number, shown = String(priority)): number {
  // -0 becomes 0: JSON and comparisons treat the two differently.
  if (Number.isInteger(priority) && Math.abs(priority) <= PRIORITY_LIMIT) return priority || 0;
  throw new LockError(
    "BAD_PRIORITY",
    `The priority ${quote(shown)} is not a whole number from -${PRIORITY_LIMIT} to ${PRIORITY_LIMIT}.`,
  );
}

/** The number of one slot, as a user writes it. */
export function parseSlot(text: string): number {
  const slot = /^\d{1,6}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  return checkSlot(slot, text);
}

/** The number of one slot, as `break` takes it: they count from 0. */
export function checkSlot(slot: number, shown = String(slot)): number {
  if (!Number.isInteger(slot) || slot < 0 || slot >= SLOTS_LIMIT) {
    throw new LockError(
      "BAD_SLOTS",
      `The slot ${quote(shown)} is not a whole number from 0 to ${SLOTS_LIMIT - 1}.`,
    );
  }
  return slot;
}

/** Claims of one key must agree about its slots; the sentence names both numbers. */
export function slotsMismatch(key: string, asked: number, present: number): LockError {
  return new LockError(
    "SLOTS_MISMATCH",
    `The key ${quote(key)} is in use with slots ${present}, but this claim asks for slots ${asked}: use ${present}, or wait until nobody holds or waits for it.`,
  );
}

/** A claim that shares the lock of its run has what that holds, and would wait for itself for more. */
export function heavierThanRun(key: string, held: number, asked: number): LockError {
  return new LockError(
    "BAD_WEIGHT",
    `This run holds the key ${quote(key)} with weight ${held}, and this claim asks for ${asked}: the claims of a run share one lock, so let the first one ask for ${asked}.`,
  );
}

/** Claims of one key must agree about the names of its slots as well. Null: without names. */
export function resourcesMismatch(
  key: string,
  asked: readonly string[] | null,
  present: readonly string[] | null,
): LockError {
  const words = (names: readonly string[] | null) =>
    names === null ? "no resources" : `the resources ${names.join(", ")}`;
  return new LockError(
    "SLOTS_MISMATCH",
    `The key ${quote(key)} is in use with ${words(present)}, but this claim asks for ${words(asked)}: use the same, or wait until nobody holds or waits for it.`,
  );
}
