/** @import { HolderJson } from "../../../observers/describe.ts" */
import { announce, byId, setText } from "../dom.js";
import { ask, problemOf } from "../server.js";

const breaking = byId("break", HTMLDialogElement);
const form = byId("break-form", HTMLFormElement);
const reason = byId("break-reason", HTMLInputElement);
const who = byId("break-who", HTMLInputElement);
const typed = byId("break-typed", HTMLInputElement);
const go = byId("break-go", HTMLButtonElement);
/** @type {{ readonly key: string; readonly holder: HolderJson } | null} */
let target = null;

/**
 * Asks whether to break a lock: with a reason, after typing the key, and only from this holder.
 *
 * @param {string} key
 * @param {HolderJson} holder
 */
export function openBreak(key, holder) {
  target = { key, holder };
  form.reset();
  who.value = sessionStorage.getItem("holdfast-who") ?? "";
  setText(byId("break-owner"), holder.who);
  setText(byId("break-key"), key);
  setText(byId("break-trouble"), "");
  checkBreak();
  breaking.showModal();
  reason.focus();
}

function checkBreak() {
  const key = target?.key ?? "";
  go.disabled = reason.value.trim() === "" || typed.value !== key;
  const wrong = typed.value.length >= key.length && typed.value !== "" && typed.value !== key;
  setText(byId("break-trouble"), wrong ? "That is not the key." : "");
}

/** @param {{ readonly key: string; readonly holder: HolderJson }} target */
async function breakIt({ key, holder }) {
  const name = who.value.trim();
  sessionStorage.setItem("holdfast-who", name);
  // The fence names this very hold: should the lock have gone on meanwhile, the next holder keeps it.
  const { fence, slot } = holder;
  const only = fence === null ? { slot: String(slot) } : { fence: String(fence) };
  const query = new URLSearchParams({ key, reason: reason.value.trim(), ...only });
  if (name !== "") query.set("owner", name);
  go.disabled = true;
  try {
    const response = await ask(`admin/locks?${query}`, { method: "DELETE" });
    if (response.ok) {
      breaking.close();
      announce(`${key} was taken from ${holder.who}`);
      return;
    }
    setText(byId("break-trouble"), await problemOf(response));
  } catch {
    setText(
      byId("break-trouble"),
      "The server cannot be reached: nothing was broken, as far as this page knows.",
    );
  }
  go.disabled = false;
}

form.addEventListener("input", checkBreak);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!go.disabled && target !== null) void breakIt(target);
});
byId("break-cancel").addEventListener("click", () => breaking.close());
breaking.addEventListener("close", () => {
  target = null;
  if (!byId("detail").hidden) byId("close").focus({ preventScroll: true });
});
