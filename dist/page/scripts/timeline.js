/** @import { Freeze, PastFreeze, SlotFreeze } from "../../../lock/status.ts" */
/** @import { KeyJson, TimelineJson } from "../../observers/describe.ts" */

import { openDetail } from "./detail/detail.js";
import { endOf, shape } from "./detail/history.js";
import { byId, make } from "./dom.js";
import { formatDuration } from "./duration.js";
import { rows } from "./rows.js";
import { ask, problemOf } from "./server.js";
import { moment, serverNow, timeOfDay } from "./time.js";

/** Changes come in crowds, and a picture of a day need not follow each of them. */
const DELAY_MS = 1000;
/** Percent: a narrower bar would not be seen. */
const LEAST_WIDTH = 0.3;
/** How much of the picture is left before the first bar. */
const MARGIN = 0.02;
const DAY_MS = 86_400_000;
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
 * What is drawn of a key: when it was held, and when nobody could get it.
 *
 * @typedef {object} Span
 * @property {string} kind
 * @property {number} start
 * @property {number} end
 * @property {string} words
 */

/**
 * Draws from the first thing that there is in the time that was asked for: ten minutes of holds would
 * be a stroke in the picture of a day.
 *
 * @param {number} asked
 * @param {readonly TimelineJson[]} keys
 */
function draw(asked, keys) {
  const now = serverNow();
  const spans = new Map(keys.map((key) => [key.key, spansOf(key)]));
  for (const [key, { lock }] of rows) {
    spans.set(key, [...(spans.get(key) ?? []), ...spansNow(lock, now)]);
  }
  if (spans.size === 0) {
    place.replaceChildren(make("p", "dim", "Nothing was held in this time."));
    return;
  }
  const first = Math.min(now - 1_000, ...[...spans.values()].flat().map(({ start }) => start));
  const from = Math.max(asked, first - (now - first) * MARGIN);
  const say = now - from < DAY_MS ? timeOfDay : moment;
  const scale = make("p", "scale dim");
  for (const at of [from, (from + now) / 2, now]) {
    scale.append(make("span", "", at === now ? "now" : say(new Date(at).toISOString())));
  }
  const lines = [...spans].map(([key, parts]) => lineOf(key, parts, from, now));
  place.replaceChildren(...lines, scale);
}

/**
 * @param {TimelineJson} key
 * @returns {Span[]}
 */
function spansOf({ holds, freezes }) {
  return [
    ...holds.map((hold) => {
      const start = Date.parse(hold.since);
      const words = `${hold.who}, ${formatDuration(hold.held)}, ${endOf(hold)}`;
      const kind = hold.end === "released" ? "calm" : "rough";
      return { kind, start, end: start + hold.held, words };
    }),
    ...freezes.map((freeze) => frozen(freeze, Date.parse(freeze.ended))),
  ];
}

/**
 * @param {KeyJson} lock
 * @param {number} now
 * @returns {Span[]}
 */
function spansNow(lock, now) {
  const holds = lock.holders.flatMap(({ who, since }) => {
    if (since === null) return [];
    return { kind: "now", start: Date.parse(since), end: now, words: `${who}, held now` };
  });
  const freezes = [lock.frozen ?? [], lock.frozenSlots].flat();
  return [...holds, ...freezes.map((freeze) => frozen(freeze, now))];
}

/**
 * @param {Freeze | PastFreeze | SlotFreeze} freeze
 * @param {number} end
 * @returns {Span}
 */
function frozen(freeze, end) {
  const { by, reason, since } = freeze;
  const start = Date.parse(since);
  const name = "resource" in freeze ? freeze.resource : undefined;
  const slot = "slot" in freeze ? freeze.slot : undefined;
  const what = name ?? (slot === undefined ? undefined : `Slot ${slot}`);
  const frozen = what === undefined ? "Frozen" : `${what} frozen`;
  const words = `${frozen} for ${formatDuration(end - start)} by ${by}: ${reason}`;
  return { kind: "freeze", start, end, words };
}

/**
 * @param {string} key
 * @param {readonly Span[]} spans
 * @param {number} from
 * @param {number} now
 */
function lineOf(key, spans, from, now) {
  const line = make("div", "span");
  const open = make("button", "quiet theirs", key);
  open.type = "button";
  open.addEventListener("click", () => openDetail(key));
  const held = spans.filter(({ kind }) => kind !== "freeze").length;
  const froze = spans.length - held;
  const holds = `${held} ${held === 1 ? "hold" : "holds"}`;
  const freezes = froze === 0 ? "" : ` and ${froze} ${froze === 1 ? "freeze" : "freezes"}`;
  const counts = `${key}: ${holds}${freezes} in this time`;
  const picture = shape("svg", { role: "img", "aria-label": counts });
  /** @param {number} time */
  const xOf = (time) => (Math.max(0, time - from) / (now - from)) * 100;
  // A freeze is drawn over the holds, which are seen through its strokes.
  for (const { kind, start, end, words } of spans) {
    const width = Math.max(LEAST_WIDTH, xOf(end) - xOf(start));
    const bar = shape("rect", {
      class: `bar ${kind}`,
      x: `${Math.min(xOf(start), 100 - LEAST_WIDTH)}%`,
      width: `${width}%`,
      height: "100%",
      ...(kind === "freeze" ? { fill: "url(#hatch)" } : {}),
    });
    const title = shape("title", {});
    title.textContent = words;
    bar.append(title);
    picture.append(bar);
  }
  line.append(open, picture);
  return line;
}

box.addEventListener("toggle", () => {
  sessionStorage.setItem("holdfast-timeline", box.open ? "open" : "");
  showTimeline(0);
});
range.addEventListener("change", () => showTimeline(0));
box.open = sessionStorage.getItem("holdfast-timeline") === "open";
