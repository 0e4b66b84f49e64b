/** @import { KeyJson } from "../../observers/describe.ts" */
import { showDetailChanges, showDetailState } from "./detail/detail.js";
import { byId, setText } from "./dom.js";
import { formatAge } from "./duration.js";
import { showFirstSteps } from "./first-steps.js";
import { showChanges, showState } from "./list.js";
import { showRecent } from "./recent.js";
import { rows } from "./rows.js";
import { ask, askToken, problemOf, storedToken } from "./server.js";
import { learnClock } from "./time.js";
import { showTimeline } from "./timeline.js";

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 10000;
/** The server says something every 15 s: after this silence the connection counts as lost. */
const SILENCE_MS = 40000;
let everConnected = false;
/** @type {number | null} */
let lostAt = null;
let retry = FIRST_RETRY_MS;
let wake = () => {};
/**
 * What the server says before its locks: whether one may only look, and, where they are in a store,
 * which one that is and what it cannot do.
 *
 * @type {{ readonly access?: "read" | "full"; readonly store?: string; readonly lacks?: string[] }}
 */
let access = {};

/** Tries again at once, where the page waits for its next try. */
export function tryNow() {
  wake();
}

/** Follows the server's events for ever. A lost connection is made anew, ever less often. */
export async function follow() {
  for (;;) {
    let trouble = "The connection to the server is lost.";
    try {
      const outcome = await readEvents();
      if (outcome === "token") continue;
      if (outcome !== null) trouble = outcome;
    } catch {}
    lost(trouble);
    await pause(retry + Math.random() * 250);
    retry = Math.min(LONGEST_RETRY_MS, retry * 2);
  }
}

/**
 * Reads events until the stream ends; by hand, since EventSource cannot send the token. Null, or what
 * the server said instead of events.
 *
 * @returns {Promise<string | null>}
 */
async function readEvents() {
  const control = new AbortController();
  let watchdog = setTimeout(() => control.abort(), SILENCE_MS);
  try {
    const headers = { accept: "text/event-stream" };
    const response = await ask("admin/events", { signal: control.signal, headers });
    if (response.status === 401) {
      clearTimeout(watchdog);
      showLive("lost", "Token needed");
      await askToken();
      return "token";
    }
    if (!response.ok || response.body === null) return await problemOf(response);
    learnClock(response);
    access = {};
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return null;
      clearTimeout(watchdog);
      watchdog = setTimeout(() => control.abort(), SILENCE_MS);
      // The end of an event may come in two pieces.
      const from = Math.max(0, rest.length - 1);
      rest += value;
      let start = 0;
      for (let end = rest.indexOf("\n\n", from); end !== -1; end = rest.indexOf("\n\n", start)) {
        showEvent(rest.slice(start, end));
        start = end + 2;
      }
      rest = rest.slice(start);
    }
  } finally {
    clearTimeout(watchdog);
    control.abort();
  }
}

/** @param {string} block one event without the empty line after it */
function showEvent(block) {
  // By line feeds alone: a key may hold other characters that end a line for a regular expression.
  const fields = new Map();
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    fields.set(line.slice(0, colon), line.slice(colon + 2));
  }
  const name = fields.get("event");
  if (name === undefined) return;
  const content = JSON.parse(fields.get("data"));
  if (name === "access") {
    access = content;
  } else if (name === "state") {
    found();
    showState(content.locks);
    showDetailState(content.locks);
    showRecent();
    showTimeline();
  } else if (name === "change") {
    const known = rows.size;
    showChanges(content.keys);
    showDetailChanges(content.keys);
    // A key that is free now, or was until now, changes what is recent.
    const freed = content.keys.some((/** @type {KeyJson} */ lock) => lock.holders.length === 0);
    if (freed || rows.size !== known) showRecent();
    showTimeline();
  }
}

function found() {
  everConnected = true;
  lostAt = null;
  retry = FIRST_RETRY_MS;
  byId("banner").hidden = true;
  byId("forget").hidden = storedToken() === null;
  document.body.classList.remove("stale");
  showLive("live", "Live");
  const { store = "", lacks = [] } = access;
  document.body.classList.toggle("looking", access.access === "read");
  for (const part of ["past", "freezes"])
    document.body.classList.toggle(`no-${part}`, lacks.includes(part));
  setText(byId("store"), store);
  showFirstSteps(storedToken() !== null, store);
}

/** @param {string} trouble */
function lost(trouble) {
  lostAt ??= Date.now();
  const passed = formatAge(Date.now() - lostAt);
  const age = everConnected && rows.size > 0 ? ` Shown is what was true ${passed} ago.` : "";
  const next = retry < 1000 ? "Trying again." : `Trying again in ${formatAge(retry)}.`;
  setText(byId("banner-text"), `${trouble}${age} ${next}`);
  byId("banner").hidden = false;
  document.body.classList.add("stale");
  showLive("lost", "Not connected");
}

/**
 * @param {"live" | "lost"} state
 * @param {string} text
 */
function showLive(state, text) {
  byId("live").dataset.state = state;
  setText(byId("live-text"), text);
}

/**
 * @param {number} milliseconds
 * @returns {Promise<void>}
 */
function pause(milliseconds) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}
