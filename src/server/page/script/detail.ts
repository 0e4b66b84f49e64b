/** One lock in full, beside the list; on a phone, over it. */
export const DETAIL = `
const detail = byId("detail");
const LABELS = new Map([
  ["ci_system", "CI system"],
  ["hostname", "Host"],
  ["process_id", "Process"],
  ["run_id", "Run"],
  ["run_attempt", "Attempt"],
  ["sha", "Commit"],
  ["user_identity", "User"],
]);
let shownKey = null;
let shownHolders = "";
let shownLine = "";
let historyTimer;

function openDetail(key) {
  const row = rows.get(key);
  if (shownKey !== null) rows.get(shownKey)?.item.classList.remove("open");
  shownKey = key;
  shownHolders = "";
  shownLine = "";
  setText(byId("detail-key"), key);
  byId("history").replaceChildren();
  detail.hidden = false;
  byId("layout").classList.add("split");
  history.replaceState(null, "", "#" + encodeURIComponent(key));
  if (row !== undefined) setCurrent(row);
  showLock(row?.lock ?? freeLock(key));
  detail.scrollTop = 0;
  byId("close").focus({ preventScroll: true });
}

function closeDetail() {
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

// Called at every change of the lock: what did not change stays, with its focus and selection.
function showLock(lock) {
  const row = rows.get(lock.key);
  row?.item.classList.add("open");
  row?.open.setAttribute("aria-expanded", "true");
  const count = lock.holders.length;
  setText(byId("detail-state"), isFree(lock) ? "Free" : lock.slots > 1 ? count + " of " + lock.slots + " slots held" : "Held");
  detail.classList.toggle("free", isFree(lock));
  const holders = JSON.stringify(lock.holders.map(({ heartbeat, expiresAt, ...rest }) => rest));
  if (holders !== shownHolders) {
    // Whatever ended is in the history a moment later.
    askHistory(shownHolders === "" ? 0 : 400);
    shownHolders = holders;
    byId("holders").replaceChildren(...lock.holders.map(holderCard));
  }
  for (const [index, card] of [...byId("holders").children].entries()) showLease(card, lock.holders[index]);
  const line = JSON.stringify([lock.waiters, lock.waiting]);
  if (line !== shownLine) {
    shownLine = line;
    showLine(lock);
  }
}

function holderCard(holder) {
  const card = make("section", "holder");
  const title = make("p", "owner-line");
  title.append(runLink(holder, "owner", holder.owner));
  const url = webAddress(holder.metadata.run_url);
  if (url !== null) title.append(make("span", "dim theirs", " " + url.host + " ↗"));
  if (holder.alive === null) title.append(make("span", "doubt", "not heard of since the server or its connection went"));
  card.append(title);
  if (holder.note) card.append(make("p", "note theirs", holder.note));
  const facts = make("dl", "facts");
  fact(facts, "Held for", ticking(Date.parse(holder.since)));
  fact(facts, "Since", make("span", "", moment(holder.since)));
  card.lease = make("span", "");
  fact(facts, "Lease", card.lease);
  fact(facts, "Fence", make("code", "", String(holder.fence)));
  if (holder.slot > 0) fact(facts, "Slot", make("span", "", String(holder.slot)));
  for (const [name, value] of Object.entries(holder.metadata)) {
    if (name !== "run_url") fact(facts, LABELS.get(name) ?? name.replaceAll("_", " "), make("span", "theirs", String(value)));
  }
  fact(facts, "Door", make("span", "", holder.door.toUpperCase()));
  const button = make("button", "danger quiet", "Break…");
  button.type = "button";
  button.addEventListener("click", () => openBreak(shownKey, holder));
  card.append(facts, button);
  return card;
}

function fact(place, name, value) {
  const content = make("dd");
  content.append(value);
  place.append(make("dt", "", name), content);
}

function showLease(card, holder) {
  setText(card.lease, shortDuration(holder.ttl * 1000) + ", last heard of at " + dayTime.format(Date.parse(holder.heartbeat)));
}

function showLine(lock) {
  byId("line-section").hidden = lock.waiting === 0;
  byId("line").replaceChildren(...lock.waiters.map(waiterItem));
  const more = lock.waiting - lock.waiters.length;
  setText(byId("line-more"), more > 0 ? "and " + more + " more" : "");
}

function waiterItem(waiter) {
  const item = make("li");
  item.append(runLink(waiter, "owner", waiter.owner), ticking(Date.parse(waiter.since), " waits "));
  if (waiter.note) item.append(make("span", "note theirs", waiter.note));
  return item;
}

function askHistory(wait) {
  clearTimeout(historyTimer);
  historyTimer = setTimeout(async () => {
    const key = shownKey;
    if (key === null) return;
    const place = byId("history");
    try {
      const response = await ask("admin/history?limit=" + HOLDS_ASKED + "&key=" + encodeURIComponent(key));
      if (shownKey !== key) return;
      if (response.ok) showHistory(place, (await response.json()).holds);
      else place.replaceChildren(make("p", "dim", await problemOf(response)));
    } catch {
      if (shownKey === key) place.replaceChildren(make("p", "dim", "The history cannot be had just now."));
    }
  }, wait);
}

byId("close").addEventListener("click", closeDetail);
`;
