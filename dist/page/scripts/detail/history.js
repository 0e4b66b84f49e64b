/** @import { PastFreeze } from "../../../../lock/status.ts" */
/** @import { HoldJson } from "../../../observers/describe.ts" */
import { make, nameOf } from "../dom.js";
import { formatDuration } from "../duration.js";
import { ago, moment } from "../time.js";

const HOLDS_IN_WORDS = 8;
const FREEZES_IN_WORDS = 5;
const SVG = "http://www.w3.org/2000/svg";
/** @type {Record<string, string>} */
const ENDS = {
  released: "released",
  expired: "lease ran out",
  dead: "holder died",
  broken: "broken",
};

/**
 * Shows the last holds of a key: all as bars from old to new, and the newest in words.
 *
 * @param {HTMLElement} place
 * @param {readonly HoldJson[]} holds newest first
 * @param {readonly PastFreeze[]} freezes that are over, newest first
 */
export function showHistory(place, holds, freezes) {
  const cold = freezes.slice(0, FREEZES_IN_WORDS).map(freezeLine);
  if (holds.length === 0) {
    const nothing = make("p", "dim", "Nothing yet: a hold is shown here once it is over.");
    place.replaceChildren(nothing, ...cold);
    return;
  }
  const longest = Math.max(...holds.map((hold) => hold.held));
  // A hold that was broken, or whose holder died, lasted until somebody noticed.
  const times = holds.filter(({ end }) => end === "released").map(({ held }) => held);
  const usually = times.length === 0 ? "" : `usually ${formatDuration(middle(times))}, `;
  const count = `${holds.length} ${holds.length === 1 ? "hold" : "holds"}`;
  const summary = `${count}: ${usually}longest ${formatDuration(longest)}`;
  const words = make("p", "dim", summary);
  const table = holdTable(holds.slice(0, HOLDS_IN_WORDS));
  place.replaceChildren(bars(holds, longest, summary), words, table, ...cold);
}

/**
 * Says of a freeze that is over who froze the key, why, and who ended it.
 *
 * @param {PastFreeze} freeze
 */
function freezeLine({ by, reason, since, ended, endedBy }) {
  const line = make("p", "past-freeze theirs");
  const lasted = formatDuration(Date.parse(ended) - Date.parse(since));
  const end = endedBy === null ? "until its time was over" : `ended by ${endedBy}`;
  const words = ` ${ago(since)} for ${lasted} by ${by}: ${reason}, ${end}`;
  line.append(make("span", "badge cold", "Frozen"), words);
  return line;
}

/**
 * Says how a hold ended; of one that was broken, by whom and why.
 *
 * @param {HoldJson} hold
 */
export function endOf({ end, reason, by }) {
  const why = reason === undefined ? "" : `: ${reason}`;
  return `${ENDS[end] ?? end}${by === undefined ? "" : ` by ${by}`}${why}`;
}

/** @param {readonly number[]} numbers */
function middle(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

/**
 * @param {readonly HoldJson[]} holds
 * @param {number} longest
 * @param {string} summary
 */
function bars(holds, longest, summary) {
  const height = 56;
  const step = 10;
  const picture = shape("svg", {
    class: "bars",
    viewBox: `0 0 ${step * Math.max(holds.length, 12)} ${height}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": summary,
  });
  for (const [index, hold] of holds.toReversed().entries()) {
    const size = Math.max(2, (hold.held / Math.max(1, longest)) * height);
    const bar = shape("rect", {
      class: `bar ${hold.end === "released" ? "calm" : "rough"}`,
      x: index * step + 1,
      y: height - size,
      width: step - 2,
      height: size,
    });
    const title = shape("title", {});
    const parts = [hold.who, formatDuration(hold.held), moment(hold.since), endOf(hold)];
    title.textContent = parts.join(", ");
    bar.append(title);
    picture.append(bar);
  }
  return picture;
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
export function shape(tag, attributes) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  return node;
}

/** @param {readonly HoldJson[]} holds */
function holdTable(holds) {
  const table = make("table", "holds");
  const head = make("tr");
  for (const title of ["Owner", "When", "Waited", "Held"]) {
    const cell = make("th", "", title);
    cell.scope = "col";
    head.append(cell);
  }
  const thead = make("thead");
  thead.append(head);
  const body = make("tbody");
  for (const hold of holds) body.append(holdRow(hold));
  table.append(thead, body);
  return table;
}

/** @param {HoldJson} hold */
function holdRow(hold) {
  const line = make("tr");
  const who = make("td", "who");
  who.append(nameOf(hold));
  if (hold.end !== "released") who.append(make("span", "doubt theirs", endOf(hold)));
  const when = make("td", "", ago(hold.since));
  when.title = moment(hold.since);
  const waited = make("td", "", hold.waited === null ? "" : formatDuration(hold.waited));
  line.append(who, when, waited, make("td", "", formatDuration(hold.held)));
  return line;
}
