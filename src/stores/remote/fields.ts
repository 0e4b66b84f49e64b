import { SLOTS_LIMIT } from "../../lock/resources.ts";
import {
  type Freeze,
  type Holder,
  PLAIN_WAITER,
  type SlotFreeze,
  type Waiter,
} from "../../lock/status.ts";
import { cleanText } from "../../lock/text.ts";

/**
 * Readers of the fields of a server's answer. No field is known to be what it should be: the server may be
 * broken, hostile or another one. Each reader gives null for anything that it is not for.
 */
export type Fields = Readonly<Record<string, unknown>>;

/** The last moment that a Date of JavaScript reaches, in milliseconds. */
const TIME_LIMIT_MS = 8.64e15;

export function asFields(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : null;
}

export function textIn(fields: Fields | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === "string" ? value : null;
}

/** Text on one line. */
export function cleanIn(fields: Fields | null, name: string): string | null {
  const text = textIn(fields, name);
  return text === null ? null : cleanText(text);
}

/** A whole number of things, or a number that names one. */
export function countIn(fields: Fields | null, name: string): number | null {
  const value = fields?.[name];
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}

/** Any number that is not negative, such as seconds. */
export function amountIn(fields: Fields | null, name: string): number | null {
  const value = fields?.[name];
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** A time as ISO 8601, from such a text or from milliseconds. */
export function timeIn(fields: Fields | null, name: string): string | null {
  const value = fields?.[name];
  const time = typeof value === "string" ? Date.parse(value) : value;
  if (typeof time !== "number" || !(Math.abs(time) <= TIME_LIMIT_MS)) return null;
  return new Date(time).toISOString();
}

export function listIn(fields: Fields | null, name: string): Fields[] | null {
  const list = fields?.[name];
  return Array.isArray(list) ? list.map(asFields).filter((entry) => entry !== null) : null;
}

/** The freeze of a key; null if it has none. */
export function freezeIn(fields: Fields | null): Freeze | null {
  const frozen = asFields(fields?.frozen);
  const since = timeIn(frozen, "since");
  if (frozen === null || since === null) return null;
  const by = cleanIn(frozen, "by") ?? "unknown";
  const reason = cleanIn(frozen, "reason") ?? "";
  return { by, reason, since, until: timeIn(frozen, "until") };
}

/** Slots of a key that are frozen by themselves. */
export function slotFreezesIn(fields: Fields | null): SlotFreeze[] {
  return (listIn(fields, "frozenSlots") ?? []).flatMap((frozen) => {
    const freeze = freezeIn({ frozen });
    const slot = countIn(frozen, "slot");
    const resource = cleanIn(frozen, "resource");
    const named = resource === null ? {} : { resource };
    return freeze === null || slot === null ? [] : { ...freeze, slot, ...named };
  });
}

/** The names of slots; null: they have none. */
export function namesIn(fields: Fields | null, name: string): readonly string[] | null {
  const names = fields?.[name];
  if (!Array.isArray(names) || names.length === 0 || names.length > SLOTS_LIMIT) return null;
  return names.map((each) => cleanText(String(each)));
}

/** All slots that somebody has: under that name if there are several, else as `slot`. */
export function slotsIn(fields: Fields | null, name: string): readonly number[] {
  const slots = fields?.[name];
  const isList = Array.isArray(slots) && slots.length > 0 && slots.length <= SLOTS_LIMIT;
  const isSound = isList && slots.every((slot) => Number.isSafeInteger(slot) && slot >= 0);
  return isSound ? (slots as number[]) : [countIn(fields, "slot") ?? 0];
}

/** How a claim stands in line: as a usual one, unless it is told otherwise. */
export function rankIn(fields: Fields): Pick<Waiter, "weight" | "priority" | "ready"> {
  const { priority, ready } = fields;
  return {
    weight: countIn(fields, "weight") || PLAIN_WAITER.weight,
    priority: Number.isSafeInteger(priority) ? (priority as number) : PLAIN_WAITER.priority,
    ready: ready !== false,
  };
}

/** The run to which a hold belongs; nothing if it is a job's. */
export function runIn(fields: Fields | null): Pick<Holder, "run"> {
  const run = asFields(fields?.run);
  const id = cleanIn(run, "id");
  const until = timeIn(run, "until");
  return id === null || until === null ? {} : { run: { id, until } };
}
