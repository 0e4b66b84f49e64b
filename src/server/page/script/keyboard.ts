/** `/`, arrows or j and k, Enter (the row's own button), Escape. */
export const KEYBOARD = `
function step(by) {
  const visible = visibleRows();
  if (visible.length === 0) return;
  const here = document.activeElement?.closest(".row")?.row ?? (shownKey === null ? undefined : current);
  // From elsewhere the first step leads to the list, not past its first row.
  const to = here === undefined ? visible.indexOf(current) : visible.indexOf(here) + by;
  const row = visible[Math.min(visible.length - 1, Math.max(0, to))];
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
  else if (filter.value !== "") {
    filter.value = "";
    applyFilter();
  } else document.activeElement?.blur();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null) return;
  const typing = event.target.matches("input, select, textarea");
  if (event.key === "Escape") goBack();
  else if (event.target === filter && event.key === "ArrowDown") step(1);
  else if (event.target === filter && event.key === "Enter") {
    const [first] = visibleRows();
    if (first !== undefined) openDetail(first.key);
  } else if (typing) return;
  else if (event.key === "/") filter.focus();
  else if (event.key === "j" || event.key === "ArrowDown") step(1);
  else if (event.key === "k" || event.key === "ArrowUp") step(-1);
  else return;
  event.preventDefault();
});
`;
