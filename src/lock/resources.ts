/** The names of a key's slots: how they are said, and what is frozen or held by its name. */

import { LockError } from "./errors.ts";
import type { Lease } from "./store.ts";
import { byteLength, hasControl, quote } from "./text.ts";

/** Every claim looks at each slot: beyond this a lock is the wrong tool. */
export const SLOTS_LIMIT = 1_000;
const RESOURCE_BYTES_LIMIT = 100;

/**
 * The names of the slots, as a user writes them: with commas or line ends in between. Blank lines and a
 * comma at a line's end are fine. An empty name is not: a variable that was not set would otherwise give
 * the other names other slots.
 */
export function parseResources(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const names = lines.flatMap((line) => (line === "" ? [] : line.replace(/,$/, "").split(",")));
  return [...checkResources(names.map((name) => name.trim()))];
}

export function checkResources(names: readonly string[]): readonly string[] {
  const wrong = resourcesProblem(names);
  if (wrong === null) return names;
  throw new LockError("BAD_RESOURCES", `The resources ${wrong}.`);
}

function resourcesProblem(names: readonly string[]): string | null {
  if (names.length === 0) return "have no name: name at least one";
  if (names.length > SLOTS_LIMIT) return `are ${names.length}: name at most ${SLOTS_LIMIT}`;
  for (const name of names) {
    const isText = name.isWellFormed() && !hasControl(name) && !name.includes(",");
    const isWhole = isText && name.trim() === name && name !== "";
    if (!isWhole || byteLength(name) > RESOURCE_BYTES_LIMIT)
      return `have the name ${quote(name)}: use 1 to ${RESOURCE_BYTES_LIMIT} bytes without commas, control characters and spaces at the ends`;
  }
  const twice = names.find((name, place) => names.indexOf(name) !== place);
  return twice === undefined ? null : `have ${quote(twice)} twice: each names one slot`;
}

/** Whether two claims name the same slots. */
export function isSameResources(
  one: readonly string[] | null,
  other: readonly string[] | null,
): boolean {
  return one === other || (one?.join() === other?.join() && one?.length === other?.length);
}

/** The names of the held slots for a script: one name as it is, several as a JSON list. */
export function resourceWord({ resources }: Pick<Lease, "resources">): string | null {
  if (resources === null) return null;
  return resources.length === 1 ? (resources[0] as string) : JSON.stringify(resources);
}

/** The names of those slots; null where slots have none. */
export function resourcesOf(
  names: readonly string[] | null,
  slots: readonly number[],
): readonly string[] | null {
  return names === null ? null : slots.map((slot) => names[slot] ?? String(slot));
}

/** A freeze with the name that its slot has now. */
export function nameFreeze<T extends { readonly slot: number; readonly resource?: string }>(
  freeze: T,
  names: readonly string[] | null | undefined,
): T {
  const name = names?.[freeze.slot];
  return name === undefined ? freeze : { ...freeze, resource: name };
}

/**
 * Freezes of single slots, where the slots have these names now: each is of the slot that has its name,
 * since it is that device which is out of order. If no slot has its name, it is kept behind the slots,
 * and is in force again as soon as a claim names it. `slot`: null for a freeze of the whole key.
 */
export function followNames<T extends { readonly slot: number | null; readonly resource?: string }>(
  frozen: readonly T[],
  names: readonly string[] | null,
): T[] {
  if (names === null) return [...frozen];
  const taken = new Set(
    frozen.flatMap(({ slot, resource }) => (resource === undefined ? slot : [])),
  );
  const behind = () => {
    let slot = names.length;
    while (taken.has(slot)) slot += 1;
    taken.add(slot);
    return slot;
  };
  const moved = frozen.map((each) => {
    if (each.resource === undefined) return each;
    const slot = names.indexOf(each.resource);
    return { ...each, slot: slot === -1 ? behind() : slot };
  });
  return moved.sort((one, other) => (one.slot ?? -1) - (other.slot ?? -1));
}
