import { closeDetail, openDetail, shownKey } from "./detail/detail.js";
import { clearFilter, current, filter, setCurrent, visibleRows } from "./list.js";
import { rowAround } from "./rows.js";

/**
 * Moves to the next row, or to the one before.
 *
 * @param {1 | -1} by
 */
function step(by) {
  const visible = visibleRows();
  const here = rowAround(document.activeElement) ?? (shownKey === null ? undefined : current);
  // From elsewhere the first step leads to the list, not past its first row.
  const place = visible.findIndex((row) => row === (here ?? current));
  const to = here === undefined ? place : place + by;
  const row = visible[Math.min(visible.length - 1, Math.max(0, to))];
  if (row === undefined) return;
  setCurrent(row);
  row.open.focus();
  row.item.scrollIntoView({ block: "nearest" });
  // An open panel follows: that is what one looks at.
  if (shownKey !== null && shownKey !== row.key) {
    openDetail(row.key);
    row.open.focus({ preventScroll: true });
  }
}

function goBack() {
  if (shownKey !== null) closeDetail();
  else if (filter.value !== "") clearFilter();
  else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

function openFirst() {
  const [first] = visibleRows();
  if (first !== undefined) openDetail(first.key);
}

/**
 * What a key does here; null: nothing. Enter on a row is its own button's.
 *
 * @param {KeyboardEvent} event
 * @returns {(() => void) | null}
 */
function actionOf({ key, target }) {
  if (key === "Escape") return goBack;
  if (target === filter && key === "ArrowDown") return () => step(1);
  if (target === filter && key === "Enter") return openFirst;
  if (target instanceof Element && target.matches("input, select, textarea")) return null;
  if (key === "/") return () => filter.focus();
  if (key === "j" || key === "ArrowDown") return () => step(1);
  if (key === "k" || key === "ArrowUp") return () => step(-1);
  return null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (document.querySelector("dialog[open]") !== null) return;
  const action = actionOf(event);
  if (action === null) return;
  action();
  event.preventDefault();
});
