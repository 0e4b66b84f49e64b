/** The list as a whole: what changed, in which order, what the filter shows. */
export const LIST = String.raw`
const filter = byId("filter");
const sort = byId("sort");
const ORDERS = {
  held: older,
  newest: (a, b) => older(b, a),
  line: (a, b) => b.waiting - a.waiting || older(a, b),
  key: () => 0,
};
const collator = new Intl.Collator(undefined, { numeric: true });
let order = [];
let current = null;

// Within a millisecond the fence knows.
function older(a, b) {
  return a.since - b.since || a.fence - b.fence;
}

function compare(a, b) {
  return ORDERS[sort.value](a, b) || collator.compare(a.key, b.key) || (a.key < b.key ? -1 : 1);
}

// Nobody waits where nobody holds.
const isFree = (lock) => lock.holders.length === 0;

// Only what changed is touched: a thousand locks must not cost a thousand rows at every change.
function applyChanges(locks) {
  let arrived = 0;
  let gone = 0;
  for (const lock of locks) {
    const row = rows.get(lock.key);
    if (isFree(lock)) {
      if (row !== undefined) {
        removeRow(row);
        gone += 1;
      }
    } else if (row === undefined) {
      createRow(lock);
      arrived += 1;
    } else {
      updateRow(row, lock);
    }
    if (shownKey === lock.key) showLock(lock);
  }
  arrange();
  describeChange(locks, arrived, gone);
}

function applyState(locks) {
  const present = new Set(locks.map((lock) => lock.key));
  for (const row of [...rows.values()]) if (!present.has(row.key)) removeRow(row);
  applyChanges(locks);
  if (shownKey === null) return;
  if (!present.has(shownKey)) showLock(freeLock(shownKey));
  askHistory(0);
}

const freeLock = (key) => ({ key, slots: 1, holders: [], waiting: 0, waiters: [] });

function arrange() {
  const focused = document.activeElement;
  order = [...rows.values()].sort(compare);
  for (const row of order) {
    if (row.moved) row.item.remove();
    row.moved = false;
  }
  // Backwards, so that each row's successor already stands in its place.
  let next = null;
  for (let index = order.length - 1; index >= 0; index -= 1) {
    const { item } = order[index];
    if (item.parentNode === null || item.nextElementSibling !== next) list.insertBefore(item, next);
    next = item;
  }
  applyFilter();
  // A row that moves loses the keyboard's focus.
  if (focused !== document.activeElement && focused?.isConnected) focused.focus({ preventScroll: true });
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
  setText(byId("held"), held.toLocaleString());
  setText(byId("waiting"), waiting.toLocaleString());
  setText(byId("matches"), words.length === 0 ? "" : shown + " of " + order.length);
  document.title = held === 0 ? "Holdfast" : held + " held · Holdfast";
  byId("heads").hidden = shown === 0;
  byId("empty").hidden = order.length > 0 || !everConnected;
  byId("nothing").hidden = shown > 0 || order.length === 0;
  keepCurrent();
}

const visibleRows = () => order.filter((row) => !row.item.hidden);

// One row can be reached with Tab, the others from there: a thousand tab stops are none.
function keepCurrent() {
  if (current !== null && rows.get(current.key) === current && !current.item.hidden) return;
  setCurrent(visibleRows()[0] ?? null);
}

function setCurrent(row) {
  if (current !== null) current.open.tabIndex = -1;
  current = row;
  if (row !== null) row.open.tabIndex = 0;
}

function describeChange(locks, arrived, gone) {
  if (locks.length === 1 && arrived + gone === 1) {
    const [lock] = locks;
    announce(gone === 1 ? lock.key + " is free" : lock.key + " is held by " + lock.holders[0].owner);
  } else if (arrived + gone > 0) {
    announce(arrived + " locks taken, " + gone + " freed");
  }
}

function tick() {
  if (document.hidden || document.body.classList.contains("stale")) return;
  for (const row of order) if (row.clock !== null) showTime(row.clock);
  for (const node of byId("detail").querySelectorAll(".ticking")) showTime(node);
}

filter.addEventListener("input", applyFilter);
sort.addEventListener("change", () => {
  sessionStorage.setItem("holdfast-sort", sort.value);
  arrange();
});
byId("clear").addEventListener("click", () => {
  filter.value = "";
  applyFilter();
  filter.focus();
});
list.addEventListener("click", (event) => {
  if (event.target.closest("a") !== null || String(getSelection()) !== "") return;
  const row = event.target.closest(".row")?.row;
  if (row !== undefined) openDetail(row.key);
});
list.addEventListener("focusin", (event) => setCurrent(event.target.closest(".row").row));
`;
