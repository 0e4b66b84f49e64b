import { make, setText } from "./dom.js";
import { formatAge } from "./duration.js";

/** How far the server's clock is ahead. Else a browser whose clock is wrong would show wrong times. */
let skew = 0;

export function serverNow() {
  return Date.now() + skew;
}

/**
 * Learns the server's clock from an answer's date, which counts whole seconds.
 *
 * @param {Response} response
 */
export function learnClock(response) {
  const told = Date.parse(response.headers.get("date") ?? "");
  const difference = told + 500 - Date.now();
  skew = Math.abs(difference) > 2000 ? difference : 0;
}

const clockTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** @param {string} iso */
export function moment(iso) {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? String(iso) : clockTime.format(time);
}

/** @param {string} iso */
export function timeOfDay(iso) {
  return dayTime.format(Date.parse(iso));
}

const MINUTE = 60_000;
const LARGER = [86_400_000, 3_600_000, MINUTE];

/**
 * Says how long ago something was, in one unit: nobody counts the seconds of what is over.
 *
 * @param {string} iso
 */
export function ago(iso) {
  const time = serverNow() - Date.parse(iso);
  const unit = LARGER.find((unit) => time >= unit);
  return unit === undefined ? "just now" : `${formatAge(time - (time % unit))} ago`;
}

/**
 * Makes an element whose text is the time since a moment. `showTime` keeps it current.
 *
 * @param {string} since ISO 8601
 * @param {string} [before] what stands before the time
 */
export function ticking(since, before = "") {
  const node = make("time", "ticking");
  node.dateTime = new Date(since).toISOString();
  node.title = moment(node.dateTime);
  node.dataset.before = before;
  showTime(node);
  return node;
}

/** @param {HTMLTimeElement} node made by `ticking` */
export function showTime(node) {
  setText(node, node.dataset.before + formatAge(serverNow() - Date.parse(node.dateTime)));
}
