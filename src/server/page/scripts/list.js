/** @import { KeyJson } from "../../observers/describe.ts" */
/** @import { Row } from "./rows.js" */
import { announce, byId, make, setText } from "./dom.js";
import { createRow, isIdle, list, removeRow, rows, tickRow, updateRow } from "./rows.js";

export const filter = byId("filter", HTMLInputElement);
const sort = byId("sort", HTMLSelectElement);
/** @type {Record<string, (a: Row, b: Row) => number>} */
const ORDERS = {
  held: older,
  newest: (a, b) => older(b, a),
  line: (a, b) => b.waiting - a.waiting || older(a, b),
  key: (a, b) => collator.compare(groupOf(a), groupOf(b)),
};
/** @type {Map<string, HTMLLIElement>} The headings of groups, by what the keys below them begin with. */
const headings = new Map();
const collator = new Intl.Collator(undefined, { numeric: true });
/** @type {Row[]} */
let order = [];
/** @type {Row | null} The row that can be reached with Tab. */
export let current = null;
/** Whether the server has told its locks: before that, an empty list means nothing. */
let loaded = false;

/**
 * Within a millisecond the fence knows which is older.
 *
 * @param {Row} a
 * @param {Row} b
 */
function older(a, b) {
  return a.since - b.since || a.fence - b.fence;
}

/**
 * What a key shares with its neighbours: it to its first slash, or all of it.
 *
 * @param {Row} row
 */
function groupOf({ key }) {
  const slash = key.indexOf("/");
  return slash > 0 ? key.slice(0, slash + 1) : key;
}

/**
 * @param {Row} a
 * @param {Row} b
 */
function compare(a, b) {
  const byOrder = ORDERS[sort.value] ?? older;
  return byOrder(a, b) || collator.compare(a.key, b.key) || (a.key < b.key ? -1 : 1);
}

/**
 * Shows the whole state, and nothing else.
 *
 * @param {readonly KeyJson[]} locks
 */
export function showState(locks) {
  loaded = true;
  const present = new Set(locks.map((lock) => lock.key));
  for (const row of [...rows.values()]) if (!present.has(row.key)) removeRow(row);
  showChanges(locks);
}

/**
 * Shows locks that changed. Only these are touched: a thousand locks must not cost a thousand rows at
 * every change.
 *
 * @param {readonly KeyJson[]} locks
 */
export function showChanges(locks) {
  let arrived = 0;
  let gone = 0;
  for (const lock of locks) {
    const row = rows.get(lock.key);
    if (isIdle(lock)) {
      if (row === undefined) continue;
      removeRow(row);
      gone += 1;
    } else if (row === undefined) {
      createRow(lock);
      arrived += 1;
    } else {
      updateRow(row, lock);
    }
  }
  arrange();
  describeChange(locks, arrived, gone);
}

function arrange() {
  const focused = document.activeElement;
  order = [...rows.values()].sort(compare);
  for (const row of order) {
    if (row.moved) row.item.remove();
    row.moved = false;
  }
  const items = sort.value === "key" ? grouped() : order.map(({ item }) => item);
  const kept = new Set(items);
  for (const [group, heading] of headings) {
    if (kept.has(heading)) continue;
    heading.remove();
    headings.delete(group);
  }
  // Backwards, so that each row's successor already stands in its place.
  let next = null;
  for (const item of items.toReversed()) {
    if (item.parentNode === null || item.nextElementSibling !== next) list.insertBefore(item, next);
    next = item;
  }
  applyFilter();
  // A row that moves loses the keyboard's focus.
  if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected) {
    focused.focus({ preventScroll: true });
  }
}

/** The rows, and a heading above those whose keys have the same beginning. */
function grouped() {
  const groups = Map.groupBy(order, groupOf);
  return [...groups].flatMap(([group, members]) => {
    const items = members.map(({ item }) => item);
    return members.length < 2 ? items : [headingOf(group), ...items];
  });
}

/** @param {string} group */
function headingOf(group) {
  const known = headings.get(group);
  if (known !== undefined) return known;
  const heading = make("li", "group theirs", group);
  headings.set(group, heading);
  return heading;
}

function applyFilter() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  let held = 0;
  let waiting = 0;
  for (const row of order) {
    const hidden = !words.every((word) => row.words.includes(word));
    if (row.item.hidden !== hidden) row.item.hidden = hidden;
    if (!hidden) shown += 1;
    held += row.lock.holders.length;
    waiting += row.lock.waiting;
  }
  const seen = new Set(visibleRows().map(groupOf));
  for (const [group, heading] of headings) heading.hidden = !seen.has(group);
  setText(byId("held"), held.toLocaleString());
  setText(byId("waiting"), waiting.toLocaleString());
  setText(byId("matches"), words.length === 0 ? "" : `${shown} of ${order.length}`);
  document.title = held === 0 ? "Holdfast" : `${held} held · Holdfast`;
  byId("heads").hidden = shown === 0;
  list.hidden = shown === 0;
  byId("empty").hidden = order.length > 0 || !loaded;
  byId("nothing").hidden = shown > 0 || order.length === 0;
  keepCurrent();
}

export function visibleRows() {
  return order.filter((row) => !row.item.hidden);
}

/** One row can be reached with Tab, the others from there: a thousand tab stops are none. */
function keepCurrent() {
  if (current !== null && rows.get(current.key) === current && !current.item.hidden) return;
  setCurrent(visibleRows()[0] ?? null);
}

/** @param {Row | null} row */
export function setCurrent(row) {
  if (current !== null) current.open.tabIndex = -1;
  current = row;
  if (row !== null) row.open.tabIndex = 0;
}

/**
 * @param {readonly KeyJson[]} locks
 * @param {number} arrived
 * @param {number} gone
 */
function describeChange(locks, arrived, gone) {
  const [lock] = locks;
  if (lock !== undefined && locks.length === 1 && arrived + gone === 1) {
    const who = lock.holders[0]?.who;
    const other = lock.waiting > 0 ? "is waited for" : "is frozen";
    const state = who === undefined ? other : `is held by ${who}`;
    announce(`${lock.key} ${gone === 1 ? "is free" : state}`);
  } else if (arrived + gone > 0) {
    announce(`${arrived} locks taken, ${gone} freed`);
  }
}

export function tickRows() {
  for (const row of order) tickRow(row);
}

export function clearFilter() {
  filter.value = "";
  applyFilter();
}

filter.addEventListener("input", applyFilter);
sort.addEventListener("change", () => {
  sessionStorage.setItem("holdfast-sort", sort.value);
  arrange();
});
byId("clear").addEventListener("click", () => {
  clearFilter();
  filter.focus();
});
sort.value = sessionStorage.getItem("holdfast-sort") ?? "held";
if (sort.value === "") sort.value = "held";
