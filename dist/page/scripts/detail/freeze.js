/** @import { KeyJson } from "../../../observers/describe.ts" */
import { announce, byId, setText } from "../dom.js";
import { ask, problemOf } from "../server.js";
import { moment, ticking } from "../time.js";

const freezing = byId("freeze", HTMLDialogElement);
const form = byId("freeze-form", HTMLFormElement);
const reason = byId("freeze-reason", HTMLInputElement);
const who = byId("freeze-who", HTMLInputElement);
const time = byId("freeze-for", HTMLSelectElement);
const go = byId("freeze-go", HTMLButtonElement);
const thaw = byId("thaw", HTMLButtonElement);
/** The key that is shown. */
let key = "";

/**
 * Shows whether a key is frozen: by whom, why, and until when.
 *
 * @param {KeyJson} lock
 */
export function showFreeze(lock) {
  if (lock.key !== key) setText(byId("thaw-trouble"), "");
  key = lock.key;
  const { frozen } = lock;
  byId("frozen").hidden = frozen === undefined;
  setText(byId("freeze-open"), frozen === undefined ? "Freeze…" : "Freeze anew…");
  if (frozen === undefined) return;
  byId("frozen-by").replaceChildren(ticking(frozen.since, "for "), ` by ${frozen.by}`);
  setText(byId("frozen-reason"), frozen.reason);
  const end = frozen.until === null ? "Until it is thawed." : `Until ${moment(frozen.until)}.`;
  setText(byId("frozen-until"), `${end} Nobody gets this key; who holds it goes on.`);
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
  const words = { reason: reason.value.trim(), ...(time.value === "" ? {} : { for: time.value }) };
  if (await tell("PUT", words, "freeze-trouble")) {
    freezing.close();
    announce(`${key} is frozen`);
  } else checkFreeze();
}

async function thawIt() {
  thaw.disabled = true;
  if (await tell("DELETE", {}, "thaw-trouble")) announce(`${key} is thawed`);
  thaw.disabled = false;
}

form.addEventListener("input", checkFreeze);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!go.disabled) void freezeIt();
});
byId("freeze-open").addEventListener("click", openFreeze);
byId("freeze-cancel").addEventListener("click", () => freezing.close());
thaw.addEventListener("click", () => void thawIt());
freezing.addEventListener("close", () => byId("freeze-open").focus({ preventScroll: true }));
