/** @import { Hold } from "../../../lock/history.ts" */
/** @import { TimelineJson } from "../../observers/describe.ts" */

import { openDetail } from "./detail/detail.js";
import { endOf, shape } from "./detail/history.js";
import { byId, leadOf, make } from "./dom.js";
import { rows } from "./rows.js";
import { ask, problemOf } from "./server.js";
import { moment, serverNow, shortDuration } from "./time.js";

/** Changes come in crowds, and a picture of a day need not follow each of them. */
const DELAY_MS = 1000;
const WIDTH = 1000;
const box = byId("timeline", HTMLDetailsElement);
const range = byId("timeline-range", HTMLSelectElement);
const place = byId("timeline-keys");
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Shows the holds of all keys on one axis of time, where the reader has opened it. */
export function showTimeline(wait = DELAY_MS) {
  if (!box.open || timer !== undefined) return;
  timer = setTimeout(async () => {
    timer = undefined;
    const response = await ask(`admin/timeline?minutes=${range.value}`).catch(() => null);
    if (response === null) return;
    if (!response.ok) {
      place.replaceChildren(make("p", "dim", await problemOf(response)));
      return;
    }
    /** @type {{ readonly from: string; readonly keys: readonly TimelineJson[] }} */
    const { from, keys } = await response.json();
    draw(Date.parse(from), keys);
  }, wait);
}

/**
 * @param {number} from
 * @param {readonly TimelineJson[]} keys
 */
function draw(from, keys) {
  const now = serverNow();
  const past = new Map(keys.map(({ key, holds }) => [key, holds]));
  for (const row of rows.values()) if (!past.has(row.key)) past.set(row.key, []);
  const lines = [...past].map(([key, holds]) => lineOf(key, holds, from, now));
  if (lines.length === 0) {
    place.replaceChildren(make("p", "dim", "Nothing was held in this time."));
    return;
  }
  const scale = make("p", "scale dim");
  for (const at of [from, (from + now) / 2, now]) {
    scale.append(make("span", "", at === now ? "now" : moment(new Date(at).toISOString())));
  }
  place.replaceChildren(...lines, scale);
}

/**
 * @param {string} key
 * @param {readonly Hold[]} holds
 * @param {number} from
 * @param {number} now
 */
function lineOf(key, holds, from, now) {
  const line = make("div", "span");
  const open = make("button", "quiet theirs", key);
  open.type = "button";
  open.addEventListener("click", () => openDetail(key));
  const picture = shape("svg", {
    viewBox: `0 0 ${WIDTH} 10`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": `${key}: ${holds.length} holds in this time`,
  });
  /** @param {number} time */
  const xOf = (time) => (Math.max(0, time - from) / Math.max(1, now - from)) * WIDTH;
  for (const hold of holds) {
    const start = Date.parse(hold.since);
    const kind = hold.end === "released" ? "calm" : "rough";
    const words = `${nameOf(hold)}, ${shortDuration(hold.held)}, ${endOf(hold)}`;
    picture.append(bar(kind, xOf(start), xOf(start + hold.held), words));
  }
  for (const holder of rows.get(key)?.lock.holders ?? []) {
    const words = `${nameOf(holder)}, held now`;
    picture.append(bar("now", xOf(Date.parse(holder.since)), WIDTH, words));
  }
  line.append(open, picture);
  return line;
}

/** @param {{ readonly owner: string; readonly metadata: Readonly<Record<string, unknown>> }} party */
function nameOf({ owner, metadata }) {
  return leadOf(metadata ?? {}) ?? owner;
}

/**
 * @param {string} kind
 * @param {number} start
 * @param {number} end
 * @param {string} words
 */
function bar(kind, start, end, words) {
  const node = shape("rect", {
    class: `bar ${kind}`,
    x: Math.min(start, WIDTH - 2),
    y: 0,
    width: Math.max(2, end - start),
    height: 10,
  });
  const title = shape("title", {});
  title.textContent = words;
  node.append(title);
  return node;
}

box.addEventListener("toggle", () => {
  sessionStorage.setItem("holdfast-timeline", box.open ? "open" : "");
  showTimeline(0);
});
range.addEventListener("change", () => showTimeline(0));
box.open = sessionStorage.getItem("holdfast-timeline") === "open";
