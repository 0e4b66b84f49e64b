/** One lock in the list. A row is made once and then changed where its lock has changed. */
export const ROW = String.raw`
const list = byId("list");
const rows = new Map();

function createRow(lock) {
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
  const row = { key: lock.key, lock, item, open, slots, who, time, line, clock: null, held: "", since: 0, fence: 0, waiting: 0, moved: true };
  item.row = row;
  rows.set(lock.key, row);
  updateRow(row, lock);
  return row;
}

function updateRow(row, lock) {
  row.lock = lock;
  const oldest = lock.holders.reduce((a, b) => (b.fence < a.fence ? b : a));
  const since = Date.parse(oldest.since);
  if (oldest.fence !== row.fence || lock.waiting !== row.waiting) row.moved = true;
  row.since = since;
  row.fence = oldest.fence;
  row.waiting = lock.waiting;
  const held = JSON.stringify([oldest.fence, oldest.owner, oldest.note, oldest.alive, oldest.metadata.run_url, lock.holders.length]);
  if (held !== row.held) {
    row.held = held;
    showHolder(row, oldest, lock.holders.length - 1);
  }
  setText(row.slots, lock.slots > 1 ? lock.holders.length + " of " + lock.slots : "");
  setText(row.line, lock.waiting === 0 ? "" : lock.waiting + " waiting");
  row.words = wordsOf(lock);
}

function showHolder(row, holder, others) {
  row.who.replaceChildren(runLink(holder, "owner", holder.owner));
  if (others > 0) row.who.append(make("span", "dim", " and " + others + " more"));
  if (holder.alive === null) row.who.append(make("span", "doubt", "not heard of"));
  if (holder.note) row.who.append(make("span", "note theirs", holder.note));
  row.clock = ticking(row.since);
  row.time.replaceChildren(row.clock);
}

// What the filter looks at.
function wordsOf(lock) {
  const words = [lock.key];
  for (const party of [...lock.holders, ...lock.waiters]) {
    words.push(party.owner, party.note ?? "", ...Object.values(party.metadata).map(String));
  }
  return words.join("\n").toLowerCase();
}

function removeRow(row) {
  rows.delete(row.key);
  row.item.remove();
}
`;
