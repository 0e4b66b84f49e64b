import { openDetail, tickDetail } from "./detail/detail.js";
import { byId } from "./dom.js";
import "./keyboard.js";
import { setCurrent, tickRows } from "./list.js";
import { follow, tryNow } from "./live.js";
import { list, rowAround } from "./rows.js";
import { hasToken } from "./server.js";

/** The page's script: what the reader does, the clock, and the stream of events. */

list.addEventListener("click", ({ target }) => {
  const link = target instanceof Element && target.closest("a") !== null;
  if (link || String(getSelection()) !== "") return;
  const row = rowAround(target);
  if (row !== undefined) openDetail(row.key);
});
list.addEventListener("focusin", ({ target }) => setCurrent(rowAround(target) ?? null));
byId("retry").addEventListener("click", tryNow);
addEventListener("online", tryNow);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  tryNow();
  tick();
});

/** Times on a page that is not seen, or not connected, stand still. */
function tick() {
  if (document.hidden || document.body.classList.contains("stale")) return;
  tickRows();
  tickDetail();
}

/** Opens the key that the address names. */
function openNamed() {
  if (location.hash.length <= 1) return;
  try {
    openDetail(decodeURIComponent(location.hash.slice(1)));
  } catch {}
}
// A browser does not load the page anew for an address that differs only after the #.
addEventListener("hashchange", () => {
  if (hasToken()) location.reload();
  else openNamed();
});
openNamed();
setInterval(tick, 1000);
void follow();
