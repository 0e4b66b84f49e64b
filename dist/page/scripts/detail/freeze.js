/** @import { SlotFreeze } from "../../../../lock/status.ts" */
/** @import { KeyJson } from "../../../observers/describe.ts" */
import { announce, byId, make, setText } from "../dom.js";
import { partOf } from "../rows.js";
import { ask, problemOf } from "../server.js";
import { moment, ticking } from "../time.js";

const freezing = byId("freeze", HTMLDialogElement);
const form = byId("freeze-form", HTMLFormElement);
const reason = byId("freeze-reason", HTMLInputElement);
const who = byId("freeze-who", HTMLInputElement);
const time = byId("freeze-for", HTMLSelectElement);
const go = byId("freeze-go", HTMLButtonElement);
const thaw = byId("thaw", HTMLButtonElement);
const part = byId("freeze-part", HTMLSelectElement);
/** The key that is shown. */
let key = "";
/** What is shown of its slots, to notice a change. */
let shownSlots = "";

/**
 * Shows whether a key is frozen: by whom, why, and until when.
 *
 * @param {KeyJson} lock
 */
export function showFreeze(lock) {
  if (lock.key !== key) setText(byId("thaw-trouble"), "");
  key = lock.key;
  showSlots(lock);
  const { frozen } = lock;
  byId("frozen").hidden = frozen === undefined;
  setText(byId("freeze-open"), frozen === undefined ? "Freeze…" : "Freeze anew…");
  if (frozen === undefined) return;
  byId("frozen-by").replaceChildren(ticking(frozen.since, "for "), ` by ${frozen.by}`);
  setText(byId("frozen-reason"), frozen.reason);
  const end = frozen.until === null ? "Until it is thawed." : `Until ${moment(frozen.until)}.`;
  setText(byId("frozen-until"), `${end} Nobody gets this key; who holds it goes on.`);
}

/**
 * Shows the slots that are frozen by themselves, and offers each slot to be frozen.
 *
 * @param {KeyJson} lock
 */
function showSlots({ slots, resources, frozenSlots }) {
  const now = JSON.stringify([key, slots, resources, frozenSlots]);
  if (now === shownSlots) return;
  shownSlots = now;
  /** @param {number} slot */
  const nameOf = (slot) => {
    const name = resources?.[slot];
    return partOf({ slots: [slot], resources: name === undefined ? null : [name] });
  };
  byId("frozen-slots").replaceChildren(
    ...frozenSlots.map((freeze) =>
      slotItem(
        freeze,
        freeze.slot < slots ? nameOf(freeze.slot) : (freeze.resource ?? nameOf(freeze.slot)),
      ),
    ),
  );
  byId("freeze-parts").hidden = slots < 2;
  const parts = Array.from({ length: slots < 2 ? 0 : slots }, (_, slot) => {
    return new Option(nameOf(slot), String(slot));
  });
  part.replaceChildren(new Option("the whole key", ""), ...parts);
}

/**
 * @param {SlotFreeze} freeze
 * @param {string} name
 */
function slotItem({ slot, by, reason, since, until }, name) {
  const item = make("li", "frozen");
  const end = until === null ? "" : `, until ${moment(until)}`;
  const button = make("button", "changes freezes", "Thaw");
  button.type = "button";
  button.addEventListener("click", () => void thawIt(button, { slot: String(slot) }));
  const title = make("strong", "theirs", `Frozen: ${name}`);
  item.append(title, " ", ticking(since, "for "));
  item.append(make("p", "theirs", `${by}: ${reason}${end}`), button);
  return item;
}

function openFreeze() {
  form.reset();
  who.value = sessionStorage.getItem("holdfast-who") ?? "";
  setText(byId("freeze-key"), key);
  setText(byId("freeze-trouble"), "");
  checkFreeze();
  freezing.showModal();
  reason.focus();
}

function checkFreeze() {
  go.disabled = reason.value.trim() === "";
}

/**
 * @param {"PUT" | "DELETE"} method
 * @param {Record<string, string>} words
 * @param {string} trouble where to say that it failed
 */
async function tell(method, words, trouble) {
  const name = who.value.trim() || (sessionStorage.getItem("holdfast-who") ?? "");
  const query = new URLSearchParams({ key, ...words });
  if (name !== "") query.set("owner", name);
  setText(byId(trouble), "");
  try {
    const response = await ask(`admin/freezes?${query}`, { method });
    if (response.ok) return true;
    setText(byId(trouble), await problemOf(response));
  } catch {
    setText(
      byId(trouble),
      "The server cannot be reached: nothing has changed, as far as is known.",
    );
  }
  return false;
}

async function freezeIt() {
  sessionStorage.setItem("holdfast-who", who.value.trim());
  go.disabled = true;
  const words = {
    reason: reason.value.trim(),
    ...(time.value === "" ? {} : { for: time.value }),
    ...(part.value === "" ? {} : { slot: part.value }),
  };
  if (await tell("PUT", words, "freeze-trouble")) {
    freezing.close();
    announce(`${key} is frozen`);
  } else checkFreeze();
}

/**
 * @param {HTMLButtonElement} button
 * @param {Record<string, string>} only the one slot that is meant, where it is one
 */
async function thawIt(button, only) {
  button.disabled = true;
  if (await tell("DELETE", only, "thaw-trouble")) announce(`${key} is thawed`);
  button.disabled = false;
}

form.addEventListener("input", checkFreeze);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!go.disabled) void freezeIt();
});
byId("freeze-open").addEventListener("click", openFreeze);
byId("freeze-cancel").addEventListener("click", () => freezing.close());
thaw.addEventListener("click", () => void thawIt(thaw, {}));
freezing.addEventListener("close", () => byId("freeze-open").focus({ preventScroll: true }));
