import { make, setText } from "./dom.js";

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

/** @param {number} milliseconds */
export function duration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${pad(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h ${pad(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${hours % 24}h`;
}

/** @param {number} number */
function pad(number) {
  return String(number).padStart(2, "0");
}

/** @param {number} milliseconds */
export function shortDuration(milliseconds) {
  return milliseconds < 1000 ? `${Math.round(milliseconds)}ms` : duration(milliseconds);
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

/** @param {string} iso */
export function ago(iso) {
  const time = serverNow() - Date.parse(iso);
  if (time < 60000) return "just now";
  if (time < 3600000) return `${Math.floor(time / 60000)} min ago`;
  if (time < 86400000) return `${Math.floor(time / 3600000)} h ago`;
  return `${Math.floor(time / 86400000)} d ago`;
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
  setText(node, node.dataset.before + duration(serverNow() - Date.parse(node.dateTime)));
}
