import { PASSES_LIMIT } from "../../lock/admission.ts";
import { DURATION_LIMIT_MS } from "../../lock/duration.ts";
import { LockError, messageOf } from "../../lock/errors.ts";
import { type Hold, isSpan, readHolds } from "../../lock/history.ts";
import {
  type Metadata,
  NOTE_BYTES_LIMIT,
  OWNER_BYTES_LIMIT,
  readMetadata,
} from "../../lock/owner.ts";
import { RECLAIM_REASONS } from "../../lock/reclaim.ts";
import { PRIORITY_LIMIT } from "../../lock/request.ts";
import { checkResources, SLOTS_LIMIT } from "../../lock/resources.ts";
import type { Freeze } from "../../lock/status.ts";
import { byteLength, cleanText, cutToBytes, quote, shellWord } from "../../lock/text.ts";
import { FENCE_LIMIT, readTime } from "../../lock/time.ts";
import {
  type Claimant,
  DOCUMENT_VERSION,
  emptyDocument,
  type FrozenSlot,
  type HolderEntry,
  type KeyDocument,
  type Rank,
  type Superseded,
  type Taken,
  versionFor,
  type WaiterEntry,
} from "./document.ts";
import {
  type Fields,
  fieldsOf,
  isName,
  isWhole,
  lenientList,
  listOf,
  shown,
  textOf,
  timeOf,
  wholeOf,
} from "./fields.ts";
import { readLife } from "./life.ts";

/** The longest document, in bytes: every register carries that much. */
export const DOCUMENT_BYTES_LIMIT = 64 * 1024;

/**
 * A document that grows, by a claim in line or one more holder, stays below this. The rest is kept for what must
 * never fail because a document is full: renewing, releasing, leaving, breaking.
 */
export const GROWTH_BYTES_LIMIT = 60 * 1024;

/**
 * The document as text, and what was written. Less is written if it would be too long. Null if nothing more can
 * be left out: then a longer line, or one more holder, does not fit.
 */
export function writeDocument(
  document: KeyDocument,
  limit = DOCUMENT_BYTES_LIMIT,
): { readonly text: string; readonly document: KeyDocument } | null {
  for (const trim of TRIMS) {
    const trimmed = trim({ ...document, v: versionFor(document) });
    const text = textFor(trimmed);
    if (text !== null && byteLength(text) <= limit) return { text, document: trimmed };
  }
  return null;
}

/** Null where a field of strangers is nested deeper than it can be written again. */
function textFor(document: KeyDocument): string | null {
  try {
    return JSON.stringify(document);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** How much of a long note or value is kept: it is still of use to a reader. */
const SHORT_BYTES = 80;

/**
 * What is left out, the least needed first: the past, then fields that are only shown, then fields that this
 * version does not know.
 */
const TRIMS: readonly ((document: KeyDocument) => KeyDocument)[] = [
  (document) => document,
  (document) => ({ ...document, holds: document.holds.map(withoutMetadata) }),
  (document) => ({ ...document, holds: document.holds.slice(0, 10).map(withoutMetadata) }),
  (document) => shorten({ ...document, holds: document.holds.slice(0, 10).map(withoutMetadata) }),
  (document) => bare({ ...document, holds: [] }),
  (document) => bare(readDocument({ ...document, holds: [] }, document.key, false)),
];

function withoutMetadata({ resources: _, ...hold }: Hold): Hold {
  return { ...hold, metadata: {} };
}

function shorten(document: KeyDocument): KeyDocument {
  return eachClaimant(document, (claimant) => ({
    ...claimant,
    note: claimant.note === null ? null : cutToBytes(claimant.note, SHORT_BYTES),
    metadata: Object.fromEntries(
      Object.entries(claimant.metadata).filter(
        ([, value]) => typeof value !== "string" || byteLength(value) <= SHORT_BYTES,
      ),
    ),
  }));
}

function bare(document: KeyDocument): KeyDocument {
  const short = <T extends { reason: string }>(entry: T) => ({
    ...entry,
    reason: cutToBytes(entry.reason, SHORT_BYTES),
  });
  const taken = document.taken.slice(0, 5).map(short);
  const superseded = document.superseded.slice(0, 5);
  const freeze = document.freeze && short(document.freeze);
  const frozenSlots = document.frozenSlots?.map(short);
  return eachClaimant({ ...document, taken, superseded, freeze, frozenSlots }, (claimant) => ({
    ...claimant,
    note: null,
    metadata: {},
  }));
}

function eachClaimant(
  document: KeyDocument,
  change: <T extends Claimant>(claimant: T) => T,
): KeyDocument {
  return { ...document, holders: document.holders.map(change), line: document.line.map(change) };
}

/**
 * Reads a document. It is checked like any input, since strangers may have written it: every number, text and
 * list has its bounds. Strict where a wrong guess would let two in: holders, line, slots and fence must be
 * whole. Lenient in the rest. Fields that this version does not know are kept.
 */
export function parseDocument(text: string, key: string): KeyDocument {
  try {
    const bytes = byteLength(text);
    if (bytes > DOCUMENT_BYTES_LIMIT) throw new Error(`it has ${bytes} bytes`);
    return readDocument(JSON.parse(text), key, true);
  } catch (error) {
    throw unreadable(key, messageOf(error), error);
  }
}

export function unreadable(key: string, why: string, cause?: unknown): LockError {
  return new LockError(
    "BAD_LOCK_FILE",
    `The lock document of ${quote(key)} cannot be read (${cutToBytes(cleanText(why).replace(/\.$/, ""), WHY_BYTES)}), and so nobody can take the lock: holdfast break ${shellWord(key)} --reason TEXT puts a sound one in its place.`,
    { cause },
  );
}

/** The highest fence that stands in a text, whatever else the text is; null if there is none. */
export function fenceIn(text: string): number | null {
  const found = [...text.matchAll(/"fence":\s*(\d{1,16})/g)].map(([, digits]) => Number(digits));
  const sound = found.filter((fence) => fence <= FENCE_LIMIT);
  return sound.length === 0 ? null : Math.max(...sound);
}

/** A parser's message may repeat what it read. */
const WHY_BYTES = 200;
/** The longest id of a run in bytes: it has 500 characters at most. */
const RUN_BYTES = 2_000;

/** `carries`: with the fields that this version does not know. */
function readDocument(value: unknown, key: string, carries: boolean): KeyDocument {
  const fields = fieldsOf(value, "document");
  if (fields.v !== 1 && fields.v !== DOCUMENT_VERSION) {
    const version = typeof fields.v === "number" ? `version ${fields.v}` : "no version";
    throw new Error(
      `it has ${version}, and this Holdfast knows none above version ${DOCUMENT_VERSION}`,
    );
  }
  if (fields.key !== key) throw new Error("it is another key's");
  const { thawed, resources, frozenSlots, ...others } = fields;
  const slots = wholeOf(fields, "slots", 1, SLOTS_LIMIT);
  return {
    ...emptyDocument(key),
    ...(carries ? others : {}),
    v: fields.v,
    key,
    nonce: textOf(fields, "nonce"),
    nonces: listOf(fields, "nonces").filter(isName),
    slots,
    ...(resources === undefined ? {} : { resources: readResources(fields, slots) }),
    ...(frozenSlots === undefined
      ? {}
      : { frozenSlots: listOf(fields, "frozenSlots").map(readFrozenSlot) }),
    fence: fields.fence === null ? null : wholeOf(fields, "fence", 0, FENCE_LIMIT),
    holders: listOf(fields, "holders").map((each) => readHolder(each, carries)),
    line: listOf(fields, "line").map((each) => readWaiter(each, slots, carries)),
    turn: isName(fields.turn) ? fields.turn : null,
    ...(fields.freezeEnds === undefined ? {} : { freezeEnds: timeOf(fields, "freezeEnds") }),
    freeze: fields.freeze == null ? null : readFreeze(fieldsOf(fields.freeze, "freeze")),
    ...readThawed(thawed),
    taken: lenientList(fields.taken, readTaken),
    superseded: lenientList(fields.superseded, readSuperseded),
    holds: readHolds(fields.holds),
  };
}

function readClaimant(fields: Fields, carries: boolean): Claimant {
  const { run, ...others } = fields;
  return {
    ...(carries ? others : {}),
    id: textOf(fields, "id"),
    owner: shown(textOf(fields, "owner", DOCUMENT_BYTES_LIMIT), OWNER_BYTES_LIMIT),
    digest: textOf(fields, "digest"),
    ttl: wholeOf(fields, "ttl", 1, DURATION_LIMIT_MS),
    deadAfter: wholeOf(fields, "deadAfter", 1, DURATION_LIMIT_MS),
    note: typeof fields.note === "string" ? shown(fields.note, NOTE_BYTES_LIMIT) : null,
    metadata: readMetadata(fields.metadata) as Metadata,
    life: readLife(fields.life),
    ...(run === undefined ? {} : { run: textOf(fields, "run", RUN_BYTES) }),
  };
}

function readWaiter(value: unknown, slots: number, carries: boolean): WaiterEntry {
  const { newest, weight, priority, passed, ready, ...fields } = fieldsOf(value, "line");
  return {
    ...readClaimant(fields, carries),
    joined: timeOf(fields, "joined"),
    ...readRank({ weight, priority, passed, ready }, slots),
    ...(newest === true ? { newest } : {}),
    ...(fields.sign === undefined ? {} : { sign: textOf(fields, "sign") }),
  };
}

/**
 * Strict: a claim that could never be served, or that is not known to be ready, would be in the way of all
 * others.
 */
function readRank(fields: Fields, slots: number): Rank {
  const { weight, priority, passed, ready } = fields;
  if (ready !== undefined && typeof ready !== "boolean") throw new Error("its ready is no boolean");
  const most = PASSES_LIMIT;
  return {
    ...(weight === undefined ? {} : { weight: wholeOf(fields, "weight", 1, slots) }),
    ...(priority === undefined
      ? {}
      : { priority: wholeOf(fields, "priority", -PRIORITY_LIMIT, PRIORITY_LIMIT) }),
    // Only the order depends on it.
    ...(isWhole(passed, 1, Number.MAX_SAFE_INTEGER) ? { passed: Math.min(passed, most) } : {}),
    ...(ready === false ? { ready } : {}),
  };
}

/** The slots of a holder that has several: in order, and each of them once. */
function readSlots(fields: Fields): readonly number[] {
  const slots = listOf(fields, "slots");
  const isSound =
    slots.length > 0 &&
    slots[0] === fields.slot &&
    slots.every(
      (slot, place) =>
        isWhole(slot, 0, SLOTS_LIMIT - 1) && (place === 0 || slot > (slots[place - 1] as number)),
    );
  if (!isSound) throw new Error("its slots are no slots of a holder");
  return slots as number[];
}

function readResources(fields: Fields, slots: number): readonly string[] {
  const names = listOf(fields, "resources").filter(isName);
  if (names.length !== slots) throw new Error(`its resources are no ${slots} names`);
  return checkResources(names);
}

function readHolder(value: unknown, carries: boolean): HolderEntry {
  const { sharers, slots, ...fields } = fieldsOf(value, "holders");
  return {
    ...readClaimant(fields, carries),
    fence: wholeOf(fields, "fence", 0, FENCE_LIMIT),
    slot: wholeOf(fields, "slot", 0, SLOTS_LIMIT - 1),
    ...(slots === undefined ? {} : { slots: readSlots({ ...fields, slots }) }),
    since: timeOf(fields, "since"),
    waited: isSpan(fields.waited) ? fields.waited : null,
    beat: textOf(fields, "beat"),
    refresh: textOf(fields, "refresh"),
    renewed: timeOf(fields, "renewed"),
    ...(Array.isArray(sharers) ? { sharers: sharers.filter(isName) } : {}),
    ...(fields.ends === undefined ? {} : { ends: timeOf(fields, "ends") }),
  };
}

function readFreeze(fields: Fields): Freeze {
  return {
    by: shown(textOf(fields, "by", DOCUMENT_BYTES_LIMIT), OWNER_BYTES_LIMIT),
    reason: shown(textOf(fields, "reason", DOCUMENT_BYTES_LIMIT), NOTE_BYTES_LIMIT),
    since: timeOf(fields, "since"),
    until: fields.until === null ? null : timeOf(fields, "until"),
  };
}

function readFrozenSlot(value: unknown): FrozenSlot {
  const fields = fieldsOf(value, "frozenSlots");
  return {
    // A freeze whose name no slot has is kept behind the slots.
    slot: wholeOf(fields, "slot", 0, Number.MAX_SAFE_INTEGER),
    ...readFreeze(fields),
    ...(isName(fields.resource) ? { resource: fields.resource } : {}),
    ...(fields.ends === undefined ? {} : { ends: timeOf(fields, "ends") }),
  };
}

function readThawed(value: unknown): Pick<KeyDocument, "thawed"> {
  const [thawed] = lenientList([value], ({ by, at }) => {
    const time = readTime(at);
    return typeof by !== "string" || time === null
      ? null
      : { by: shown(by, OWNER_BYTES_LIMIT), at: time };
  });
  return thawed === undefined ? {} : { thawed };
}

function readTaken({ fence, by, reason, how }: Fields): Taken | null {
  if (!isWhole(fence, 0, FENCE_LIMIT) || typeof by !== "string" || typeof reason !== "string")
    return null;
  const known = how === "break" || (RECLAIM_REASONS as readonly unknown[]).includes(how);
  if (!known) return null;
  const [who, why] = [shown(by, OWNER_BYTES_LIMIT), shown(reason, NOTE_BYTES_LIMIT)];
  return { fence, by: who, reason: why, how: how as Taken["how"] };
}

function readSuperseded({ id, by, url }: Fields): Superseded | null {
  if (!isName(id) || typeof by !== "string") return null;
  const page = typeof url === "string" ? shown(url, NOTE_BYTES_LIMIT) : null;
  return { id, by: shown(by, OWNER_BYTES_LIMIT), url: page };
}
