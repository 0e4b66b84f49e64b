/** @import { HolderJson, KeyJson } from "../../../observers/describe.ts" */
import { make, nameOf, setText, webAddress } from "../dom.js";
import { formatDuration } from "../duration.js";
import { goneWords, partOf } from "../rows.js";
import { moment, serverNow, ticking, timeOfDay } from "../time.js";
import { openBreak } from "./break.js";

/** Names of metadata that are not just the field's own words. */
const LABELS = new Map([
  ["ci_system", "CI system"],
  ["hostname", "Host"],
  ["process_id", "Process"],
  ["run_id", "Run"],
  ["run_attempt", "Attempt"],
  ["sha", "Commit"],
  ["user_identity", "User"],
]);

/**
 * Makes the card of a holder: who it is, since when, and the button that takes the lock from it.
 *
 * @param {KeyJson} lock
 * @param {HolderJson} holder
 */
export function holderCard({ key, slots, error }, holder) {
  const card = make("section", "holder");
  const title = make("p", "owner-line");
  title.append(nameOf(holder));
  const url = webAddress(holder.metadata.run_url);
  if (url !== null) title.append(make("span", "dim theirs", ` ${url.host} ↗`));
  if (slots > 1) title.append(make("span", "part theirs", partOf(holder)));
  const gone = holder.run === undefined ? goneWords(holder) : null;
  const doubts = [gone, holder.stopped ? "stopped" : null, error?.message ?? holder.problem];
  for (const doubt of doubts) if (doubt) title.append(make("span", "doubt", doubt));
  if (holder.run !== undefined) {
    const whole = make("span", "doubt", "for the whole run");
    whole.title = `${holder.run.id}, until ${moment(holder.run.until)} at the latest`;
    title.append(whole);
  }
  card.append(title);
  if (holder.note) card.append(make("p", "note theirs", holder.note));
  const times = make("p", "times");
  if (holder.since !== null) times.append(ticking(holder.since, "Held for "));
  times.append(make("span", "usual dim"));
  const facts = make("dl", "facts");
  if (holder.who !== holder.owner) fact(facts, "Owner", make("span", "theirs", holder.owner));
  if (holder.since !== null) fact(facts, "Since", make("span", "", moment(holder.since)));
  if (holder.ttl !== null) fact(facts, "Lease", make("span", "lease"));
  if (holder.fence !== null) fact(facts, "Fence", make("code", "", String(holder.fence)));
  if (holder.run !== undefined) {
    fact(facts, "Run", make("span", "theirs", holder.run.id));
    fact(facts, "At the latest", make("span", "", moment(holder.run.until)));
  }
  if (slots > 1) fact(facts, "Slot", make("span", "", holder.slots.join(", ")));
  for (const [name, value] of Object.entries(holder.metadata)) {
    if (name === "run_url") continue;
    const label = LABELS.get(name) ?? name.replaceAll("_", " ");
    fact(facts, label, make("span", "theirs", String(value)));
  }
  if (holder.door !== undefined) fact(facts, "Door", make("span", "", holder.door.toUpperCase()));
  const button = make("button", "danger quiet changes", "Break…");
  button.type = "button";
  button.addEventListener("click", () => openBreak(key, holder));
  // Folded: fifteen lines would push the line and the history off the screen.
  const more = make("details", "more");
  more.append(make("summary", "dim", "All about this holder"), facts);
  card.append(times, button, more);
  return card;
}

/**
 * @param {HTMLElement} place
 * @param {string} name
 * @param {Node} value
 */
function fact(place, name, value) {
  const content = make("dd");
  content.append(value);
  place.append(make("dt", "", name), content);
}

/**
 * Shows in a holder's card what changes with time: when it was last heard of, and whether it is over
 * its usual time.
 *
 * @param {Element} card
 * @param {HolderJson} holder
 * @param {KeyJson["usual"]} usual
 */
export function showTimes(card, holder, usual) {
  const since = Date.parse(holder.since ?? "");
  const late = usual !== undefined && serverNow() - since > usual.ninety;
  card.classList.toggle("overdue", late);
  const words = usual === undefined ? "" : `, usually ${formatDuration(usual.median)}`;
  const habit = card.querySelector(".usual");
  if (habit !== null) setText(habit, late ? `${words}: it may be stuck` : words);
  const place = card.querySelector(".lease");
  const { ttl, heartbeat } = holder;
  const heard = heartbeat === null ? "" : `, last heard of at ${timeOfDay(heartbeat)}`;
  if (place !== null && ttl !== null) setText(place, formatDuration(ttl * 1_000) + heard);
}
