/** @import { KeyJson, WaiterJson } from "../../../observers/describe.ts" */
import { byId, make, nameOf, setText } from "../dom.js";
import { formatDuration } from "../duration.js";
import { current, setCurrent } from "../list.js";
import { rows, slotsHeld } from "../rows.js";
import { ask, problemOf } from "../server.js";
import { serverNow, showTime, ticking, timeOfDay } from "../time.js";
import { showFreeze } from "./freeze.js";
import { showHistory } from "./history.js";
import { holderCard, showTimes } from "./holder.js";

const HOLDS_ASKED = 50;
/** A hold that ended is in the history a moment later. */
const HISTORY_DELAY_MS = 400;
const detail = byId("detail");
/** @type {string | null} The lock that is shown in full, beside the list; on a phone, over it. */
export let shownKey = null;
/** @type {KeyJson | null} */
let shownLock = null;
let shownHolders = "";
let shownLine = "";
/** @type {ReturnType<typeof setTimeout> | undefined} */
let historyTimer;

/** @param {string} key */
export function openDetail(key) {
  const row = rows.get(key);
  if (shownKey !== null) rows.get(shownKey)?.item.classList.remove("open");
  shownKey = key;
  shownHolders = "";
  shownLine = "";
  setText(byId("detail-key"), key);
  byId("history").replaceChildren();
  detail.hidden = false;
  byId("layout").classList.add("split");
  history.replaceState(null, "", `#${encodeURIComponent(key)}`);
  if (row !== undefined) setCurrent(row);
  showLock(row?.lock ?? freeLock(key));
  detail.scrollTop = 0;
  byId("close").focus({ preventScroll: true });
}

export function closeDetail() {
  if (shownKey === null) return;
  const row = rows.get(shownKey);
  row?.item.classList.remove("open");
  row?.open.setAttribute("aria-expanded", "false");
  shownKey = null;
  detail.hidden = true;
  byId("layout").classList.remove("split");
  history.replaceState(null, "", location.pathname + location.search);
  (row ?? current)?.open.focus();
}

/**
 * @param {string} key
 * @returns {KeyJson}
 */
function freeLock(key) {
  const plain = { resources: null, frozenSlots: [] };
  return { key, slots: 1, ...plain, holders: [], waiting: 0, waiters: [] };
}

/** @param {readonly KeyJson[]} locks the whole state */
export function showDetailState(locks) {
  if (shownKey === null) return;
  showLock(locks.find((lock) => lock.key === shownKey) ?? freeLock(shownKey));
  askHistory(0);
}

/** @param {readonly KeyJson[]} locks those that changed */
export function showDetailChanges(locks) {
  for (const lock of locks) {
    if (lock.key !== shownKey) continue;
    showLock(lock);
    // A lock that was free before, too, was held and released since the last change.
    if (lock.holders.length === 0) askHistory(HISTORY_DELAY_MS);
  }
}

/**
 * Shows the lock as it is now. What did not change stays, with its focus and selection.
 *
 * @param {KeyJson} lock
 */
function showLock(lock) {
  const row = rows.get(lock.key);
  row?.item.classList.add("open");
  row?.open.setAttribute("aria-expanded", "true");
  const count = lock.holders.length;
  if ((lock.frozen === undefined) !== (shownLock?.frozen === undefined)) {
    askHistory(HISTORY_DELAY_MS);
  }
  showFreeze(lock);
  const held = lock.slots > 1 ? `${slotsHeld(lock)} of ${lock.slots} slots held` : "Held";
  const free = lock.frozen === undefined ? "Free" : "Free, and frozen";
  setText(byId("detail-state"), count === 0 ? free : held);
  detail.classList.toggle("free", count === 0);
  const holders = JSON.stringify(lock.holders.map(({ heartbeat, expiresAt, ...rest }) => rest));
  if (holders !== shownHolders) {
    askHistory(shownHolders === "" ? 0 : HISTORY_DELAY_MS);
    shownHolders = holders;
    const cards = lock.holders.map((holder) => holderCard(lock, holder));
    byId("holders").replaceChildren(...cards);
  }
  shownLock = lock;
  showHolderTimes();
  const line = JSON.stringify([lock.waiters, lock.waiting, lock.usual]);
  if (line !== shownLine) {
    shownLine = line;
    showLine(lock);
  }
}

function showHolderTimes() {
  for (const [index, holder] of (shownLock?.holders ?? []).entries()) {
    const card = byId("holders").children[index];
    if (card !== undefined) showTimes(card, holder, shownLock?.usual);
  }
}

/** @param {KeyJson} lock */
function showLine(lock) {
  byId("line-section").hidden = lock.waiting === 0;
  byId("line").replaceChildren(...lock.waiters.map((waiter) => waiterItem(waiter, lock)));
  const more = lock.waiting - lock.waiters.length;
  const all = lock.waiters.length === 0 ? `${more} waiting` : `and ${more} more`;
  setText(byId("line-more"), more > 0 ? all : "");
}

/**
 * @param {WaiterJson} waiter
 * @param {KeyJson} lock
 */
function waiterItem(waiter, lock) {
  const item = make("li");
  item.append(nameOf(waiter), ticking(waiter.since, " waits "));
  const terms = [
    waiter.weight > 1 ? `, weight ${waiter.weight}` : "",
    waiter.priority === 0 ? "" : `, priority ${waiter.priority}`,
    waiter.ready ? "" : ", not ready yet",
    waiter.stopped ? ", stopped" : "",
  ];
  item.append(make("span", "terms", terms.join("")));
  item.append(make("span", "turn dim", turnOf(waiter, lock)));
  if (waiter.note) item.append(make("span", "note theirs", waiter.note));
  return item;
}

/**
 * Says when it is a waiter's turn, if those before it take as long as usual. Only for a single slot.
 *
 * @param {WaiterJson} waiter
 * @param {KeyJson} lock
 */
function turnOf({ position, ready }, { usual, slots, holders }) {
  const [holder] = holders;
  if (usual === undefined || slots > 1 || !holder?.since || !ready) return "";
  const ahead = (position - 1) * usual.median;
  const end = Date.parse(holder.since) + usual.median;
  if (end > serverNow())
    return `, its turn at about ${timeOfDay(new Date(end + ahead).toISOString())}`;
  // Nobody knows when a hold that is over its usual time ends.
  return position === 1 ? ", next" : `, about ${formatDuration(ahead)} after this hold`;
}

/** @param {number} wait milliseconds */
function askHistory(wait) {
  clearTimeout(historyTimer);
  historyTimer = setTimeout(async () => {
    const key = shownKey;
    if (key === null) return;
    const place = byId("history");
    try {
      const query = `limit=${HOLDS_ASKED}&key=${encodeURIComponent(key)}`;
      const response = await ask(`admin/history?${query}`);
      if (shownKey !== key) return;
      if (response.ok) {
        const { holds, freezes } = await response.json();
        showHistory(place, holds, freezes);
      } else place.replaceChildren(make("p", "dim", await problemOf(response)));
    } catch {
      if (shownKey !== key) return;
      place.replaceChildren(make("p", "dim", "The history cannot be had just now."));
    }
  }, wait);
}

export function tickDetail() {
  for (const node of detail.querySelectorAll("time.ticking")) {
    if (node instanceof HTMLTimeElement) showTime(node);
  }
  showHolderTimes();
}

byId("close").addEventListener("click", closeDetail);
