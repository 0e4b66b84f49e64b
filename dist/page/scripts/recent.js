/** @import { RecentJson } from "../../observers/describe.ts" */
import { openDetail } from "./detail/detail.js";
import { byId, make } from "./dom.js";
import { formatDuration } from "./duration.js";
import { rows } from "./rows.js";
import { ask } from "./server.js";
import { ago } from "./time.js";

/** A hold that ended is in the history a moment later. */
const DELAY_MS = 400;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Shows the keys that were held last and are free now, with a way to their history. */
export function showRecent() {
  if (timer !== undefined) return;
  timer = setTimeout(async () => {
    timer = undefined;
    const response = await ask("admin/recent").catch(() => null);
    if (!response?.ok) return;
    /** @type {{ readonly keys: readonly RecentJson[] }} */
    const { keys } = await response.json();
    const free = keys.filter(({ key }) => !rows.has(key));
    byId("recent").hidden = free.length === 0;
    byId("recent-list").replaceChildren(...free.map(recentItem));
  }, DELAY_MS);
}

/** @param {RecentJson} recent */
function recentItem({ key, last }) {
  const item = make("li");
  const open = make("button", "quiet theirs", key);
  open.type = "button";
  open.addEventListener("click", () => openDetail(key));
  const words = `held ${formatDuration(last.held)} by ${last.who}, ${ago(last.since)}`;
  item.append(open, make("span", "dim theirs", words));
  return item;
}
