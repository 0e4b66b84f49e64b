/** Small helpers. Everything that comes from the server ends in `textContent` or a checked link. */
export const BASE = `
const byId = (id) => document.getElementById(id);

function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

// Writing the same text again would still cost a layout, and end a selection.
function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// The server's clock, as far as its answers tell: else a browser that is wrong shows wrong times.
let skew = 0;
const serverNow = () => Date.now() + skew;

function learnClock(response) {
  const told = Date.parse(response.headers.get("date") ?? "");
  const difference = told + 500 - Date.now();
  skew = Math.abs(difference) > 2000 ? difference : 0;
}

function duration(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return seconds + "s";
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + "m " + pad(seconds % 60) + "s";
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return hours + "h " + pad(minutes % 60) + "m";
  return Math.floor(hours / 24) + "d " + (hours % 24) + "h";
}

function pad(number) {
  return String(number).padStart(2, "0");
}

function shortDuration(milliseconds) {
  return milliseconds < 1000 ? Math.round(milliseconds) + "ms" : duration(milliseconds);
}

const clockTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayTime = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

function moment(iso) {
  const time = Date.parse(iso);
  return Number.isNaN(time) ? String(iso) : clockTime.format(time);
}

// The address of a run is whatever its owner says: only the web's own schemes become links.
function webAddress(value) {
  if (typeof value !== "string") return null;
  try {
    const url = new URL(value);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

function runLink(party, className, text) {
  const url = webAddress(party.metadata.run_url);
  if (url === null) return make("span", className + " theirs", text);
  const link = make("a", className + " theirs", text);
  link.href = url.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.title = url.href;
  return link;
}

// A node whose text is the time since a moment, kept current by tick().
function ticking(since, before) {
  const node = make("time", "ticking");
  node.dateTime = new Date(since).toISOString();
  node.title = moment(node.dateTime);
  node.since = since;
  node.before = before ?? "";
  showTime(node);
  return node;
}

function showTime(node) {
  setText(node, node.before + duration(serverNow() - node.since));
}

let announced = 0;
function announce(text) {
  // A screen reader that reads out a thousand changes is of no use.
  if (Date.now() - announced < 1500) return;
  announced = Date.now();
  setText(byId("announce"), text);
}

const TOKEN_NAME = "holdfast-token";
const storedToken = () => sessionStorage.getItem(TOKEN_NAME);

// A header holds bytes: letters beyond ASCII go as those of UTF-8.
function asBytes(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

// Relative addresses: the server may stand below a path of a proxy.
async function ask(path, options) {
  const headers = { ...(options?.headers ?? {}) };
  const token = storedToken();
  if (token !== null) headers.authorization = "Bearer " + asBytes(token);
  return fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
}

async function problemOf(response) {
  try {
    const { message, error } = await response.json();
    if (message || error) return String(message || error);
  } catch {}
  return "The server answered " + response.status + ".";
}
`;
