/** @import { HolderJson, KeyJson } from "../../observers/describe.ts" */
import { byId, make, nameOf, setText } from "./dom.js";
import { duration, serverNow, showTime, ticking } from "./time.js";

/**
 * One lock in the list: the elements of its row, and what the list is sorted and filtered by.
 *
 * @typedef {object} Row
 * @property {string} key
 * @property {KeyJson} lock
 * @property {HTMLLIElement} item
 * @property {HTMLButtonElement} open
 * @property {HTMLElement} slots
 * @property {HTMLElement} who
 * @property {HTMLElement} time
 * @property {HTMLElement} line
 * @property {HTMLTimeElement | null} clock
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
  name.append(open, slots);
  const who = make("div", "who");
  const time = make("div", "time");
  const line = make("div", "line");
  item.append(name, who, time, line);
  const parts = { key: lock.key, lock, item, open, slots, who, time, line };
  const late = make("span", "late");
  const values = { since: 0, fence: 0, waiting: 0, words: "" };
  const row = { ...parts, ...values, late, clock: null, held: "", moved: true };
  rowsByItem.set(item, row);
  rows.set(lock.key, row);
  updateRow(row, lock);
}

/**
 * @param {Row} row
 * @param {KeyJson} lock held by somebody, or frozen
 */
export function updateRow(row, lock) {
  row.lock = lock;
  const oldest = lock.holders.toSorted((a, b) => a.fence - b.fence)[0];
  const since = oldest?.since ?? lock.frozen?.since ?? "";
  const fence = oldest?.fence ?? 0;
  if (fence !== row.fence || lock.waiting !== row.waiting) row.moved = true;
  row.since = Date.parse(since);
  row.fence = fence;
  row.waiting = lock.waiting;
  const held = JSON.stringify([
    ...[fence, oldest?.owner, oldest?.note, oldest?.alive, oldest?.metadata.run_url],
    ...[lock.holders.length, lock.frozen],
  ]);
  if (held !== row.held) {
    row.held = held;
    if (oldest === undefined) row.who.replaceChildren();
    else showHolder(row, oldest, lock.holders.length - 1);
    row.clock = ticking(since);
    row.time.replaceChildren(row.clock, row.late);
    if (lock.frozen !== undefined) {
      const { reason, by } = lock.frozen;
      const why = make("span", "note theirs");
      why.append(make("span", "cold", "frozen"), ` ${reason}, by ${by}`);
      row.who.append(why);
    }
  }
  setText(row.slots, lock.slots > 1 ? `${lock.holders.length} of ${lock.slots}` : "");
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
  if (others > 0) row.who.append(make("span", "dim", ` and ${others} more`));
  if (holder.run !== undefined) row.who.append(make("span", "doubt", "for the whole run"));
  else if (holder.alive === null) row.who.append(make("span", "doubt", "not heard of"));
  if (holder.note) row.who.append(make("span", "note theirs", holder.note));
}

/** @param {Row} row */
export function tickRow(row) {
  if (row.clock !== null) showTime(row.clock);
  const { usual } = row.lock;
  const isHeld = row.lock.holders.length > 0;
  const late = isHeld && usual !== undefined && serverNow() - row.since > usual.ninety;
  setText(row.late, late ? `usually ${duration(usual.median)}` : "");
}

/** @param {KeyJson} lock */
function wordsOf(lock) {
  const words = [lock.key, lock.frozen === undefined ? "" : `frozen ${lock.frozen.reason}`];
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
