/** @import { HolderJson, KeyJson } from "../../observers/describe.ts" */
import { byId, make, nameOf, setText } from "./dom.js";
import { formatAge, formatDuration } from "./duration.js";
import { serverNow, showTime, ticking } from "./time.js";

/**
 * One lock in the list: the elements of its row, and what the list is sorted and filtered by.
 *
 * @typedef {object} Row
 * @property {string} key
 * @property {KeyJson} lock
 * @property {HTMLLIElement} item
 * @property {HTMLButtonElement} open
 * @property {HTMLElement} slots
 * @property {HTMLElement} badges what needs a look, in a word each
 * @property {HTMLElement} who
 * @property {HTMLElement} time
 * @property {HTMLElement} line
 * @property {HTMLTimeElement[]} clocks
 * @property {HTMLElement} late how long holds usually take, where this one is over it
 * @property {string} held what is shown of the holder, to notice a change
 * @property {number} since
 * @property {number} fence
 * @property {number} waiting
 * @property {boolean} moved its place in the list may have changed
 * @property {string} words what the filter looks at
 */

export const list = byId("list");
/** @type {Map<string, Row>} */
export const rows = new Map();
/** @type {WeakMap<Element, Row>} */
const rowsByItem = new WeakMap();

/**
 * Finds the row that an element of the page is in.
 *
 * @param {EventTarget | null} target
 */
export function rowAround(target) {
  const item = target instanceof Element ? target.closest(".row") : null;
  return item === null ? undefined : rowsByItem.get(item);
}

/**
 * Makes the row of a lock. It is made once, and then changed where its lock has changed.
 *
 * @param {KeyJson} lock
 */
export function createRow(lock) {
  const item = make("li", "row");
  const open = make("button", "key theirs", lock.key);
  open.type = "button";
  open.tabIndex = -1;
  open.setAttribute("aria-expanded", "false");
  const name = make("div", "name");
  const slots = make("span", "slots");
  const badges = make("span", "badges");
  name.append(open, slots, badges);
  const who = make("div", "who");
  const time = make("div", "time");
  const line = make("div", "line");
  item.append(name, who, time, line);
  const parts = { key: lock.key, lock, item, open, slots, badges, who, time, line };
  const late = make("span", "late");
  const values = { since: 0, fence: 0, waiting: 0, words: "" };
  const row = { ...parts, ...values, late, clocks: [], held: "", moved: true };
  rowsByItem.set(item, row);
  rows.set(lock.key, row);
  updateRow(row, lock);
}

/**
 * Whether nobody holds a key, waits for it or has frozen it.
 *
 * @param {KeyJson} lock
 */
export function isIdle({ holders, waiting, frozen, frozenSlots }) {
  return holders.length + waiting + frozenSlots.length === 0 && frozen === undefined;
}

/**
 * How many slots of a key are held.
 *
 * @param {KeyJson} lock
 */
export function slotsHeld({ holders }) {
  return holders.reduce((sum, { weight }) => sum + weight, 0);
}

/**
 * Says which of a key's slots somebody has, by their names where they have any.
 *
 * @param {Pick<HolderJson, "slots" | "resources">} part
 */
export function partOf({ slots, resources }) {
  return resources?.join(", ") ?? `${slots.length > 1 ? "slots" : "slot"} ${slots.join(", ")}`;
}

/**
 * @param {Row} row
 * @param {KeyJson} lock one that is not idle
 */
export function updateRow(row, lock) {
  row.lock = lock;
  const oldest = lock.holders.toSorted((a, b) => (a.fence ?? 0) - (b.fence ?? 0))[0];
  const first = oldest ?? lock.frozen ?? lock.frozenSlots[0] ?? lock.waiters[0];
  const since = first?.since ?? "";
  const fence = oldest?.fence ?? 0;
  if (fence !== row.fence || lock.waiting !== row.waiting) row.moved = true;
  row.since = Date.parse(since) || 0;
  row.fence = fence;
  row.waiting = lock.waiting;
  const held = JSON.stringify([
    ...[fence, oldest?.owner, oldest?.note, oldest?.alive, oldest?.metadata.run_url],
    ...[oldest?.resources, oldest?.since, lock.holders.length, lock.frozen],
  ]);
  if (held !== row.held) {
    row.held = held;
    if (oldest === undefined) row.who.replaceChildren();
    else showHolder(row, oldest, lock.holders.length - 1);
    row.clocks = oldest?.since ? [ticking(since)] : [];
    row.time.replaceChildren(...row.clocks, row.late);
    if (lock.frozen !== undefined) {
      const { reason, by } = lock.frozen;
      const why = make("span", "note why theirs");
      const clock = ticking(lock.frozen.since, "Frozen for ");
      why.append(clock, ` by ${by}: ${reason}`);
      row.clocks.push(clock);
      row.who.append(why);
    }
  }
  setText(row.slots, lock.slots > 1 ? `${slotsHeld(lock)} of ${lock.slots}` : "");
  setText(row.line, lock.waiting === 0 ? "" : `${lock.waiting} waiting`);
  row.words = wordsOf(lock);
  tickRow(row);
}

/**
 * @param {Row} row
 * @param {HolderJson} holder
 * @param {number} others how many hold it besides
 */
function showHolder(row, holder, others) {
  row.who.replaceChildren(nameOf(holder));
  if (holder.resources) row.who.append(make("span", "part theirs", partOf(holder)));
  if (others > 0) row.who.append(make("span", "dim", ` and ${others} more`));
  if (holder.run !== undefined) row.who.append(make("span", "doubt", "for the whole run"));
  if (holder.note) row.who.append(make("span", "note theirs", holder.note));
}

/** @param {Row} row */
export function tickRow(row) {
  for (const clock of row.clocks) showTime(clock);
  const { usual } = row.lock;
  const late = isLate(row);
  setText(row.late, late && usual !== undefined ? `usually ${formatDuration(usual.median)}` : "");
  const badges = badgesOf(row, late);
  if (badges.map(([, word]) => word).join(" ") === row.badges.textContent?.trim()) return;
  row.badges.replaceChildren(...badges.flatMap(([kind, word, why]) => badge(kind, word, why)));
}

/** @param {Row} row */
function isLate({ lock: { holders, usual }, since }) {
  return holders.length > 0 && usual !== undefined && serverNow() - since > usual.ninety;
}

/** A holder is heard of each third of its time: one that missed two of them may be stopped, or cut off. */
const SILENT = 0.75;

/**
 * Says what needs a look, the worst first: its colour, a word, and what that means.
 *
 * @param {Row} row
 * @param {boolean} late
 */
function badgesOf({ lock: { holders, frozen, frozenSlots, slots, error } }, late) {
  /** @type {[kind: string, word: string, why: string][]} */
  const badges = [];
  const own = holders.filter(({ run }) => run === undefined);
  // Elsewhere than on the lock server a sign of life is not due at any time that is known here.
  const heard = own.filter(({ door }) => door !== undefined);
  /** @param {HolderJson} holder */
  const silenceOf = ({ heartbeat }) => serverNow() - Date.parse(heartbeat ?? "");
  const silence = Math.max(0, ...heard.map(silenceOf));
  const isSilent = heard.some((holder) => silenceOf(holder) > (holder.ttl ?? 0) * 1_000 * SILENT);
  const gone = own.map(goneWords).find((words) => words !== null);
  const trouble = error?.message ?? holders.find(({ problem }) => problem)?.problem;
  if (trouble !== undefined) badges.push(["bad", "unreadable", trouble]);
  else if (gone) badges.push(["bad", "gone", gone]);
  else if (isSilent)
    badges.push(["bad", "silent", `stopped, or cut off: last heard of ${formatAge(silence)} ago`]);
  if (own.some(({ stopped }) => stopped))
    badges.push(["bad", "stopped", "its process exists, and does nothing"]);
  if (late) badges.push(["warm", "overdue", "held for longer than nine of ten holds before"]);
  if (frozen !== undefined) badges.push(["cold", "frozen", "nobody gets it until it is thawed"]);
  else if (frozenSlots.length > 0) {
    const count = `${frozenSlots.length} of ${slots} frozen`;
    badges.push(["cold", count, "the others are given out"]);
  }
  return badges;
}

/**
 * Says that a holder is gone, where that is known; of a lock server's, that it was not heard of.
 *
 * @param {HolderJson} holder
 */
export function goneWords({ alive, door, command }) {
  if (command?.alone) return `only its command ${command.name ?? command.pid} is left`;
  if (alive === false) return "its process or its job is over: the next claim gets the lock";
  const isUnheard = alive === null && door !== undefined;
  return isUnheard ? "not heard of since the server or its connection went" : null;
}

/**
 * @param {string} kind
 * @param {string} word
 * @param {string} why
 */
function badge(kind, word, why) {
  const node = make("span", `badge ${kind}`, word);
  node.title = why;
  return [node, " "];
}

/** @param {KeyJson} lock */
function wordsOf(lock) {
  const words = [lock.key, ...(lock.resources ?? [])];
  for (const { reason } of [lock.frozen ?? [], lock.frozenSlots].flat())
    words.push("frozen", reason);
  for (const party of [...lock.holders, ...lock.waiters]) {
    words.push(party.owner, party.note ?? "", ...Object.values(party.metadata).map(String));
  }
  return words.join("\n").toLowerCase();
}

/** @param {Row} row */
export function removeRow(row) {
  rows.delete(row.key);
  row.item.remove();
}
