/** Taking a lock from its holder: with a reason, after typing the key, and only from this holder. */
export const BREAK = `
const breaking = byId("break");
let target = null;

function openBreak(key, holder) {
  target = { key, holder };
  byId("break-form").reset();
  byId("break-who").value = sessionStorage.getItem("holdfast-who") ?? "";
  setText(byId("break-owner"), holder.owner);
  setText(byId("break-key"), key);
  setText(byId("break-trouble"), "");
  checkBreak();
  breaking.showModal();
  byId("break-reason").focus();
}

function checkBreak() {
  const typed = byId("break-typed").value;
  const ready = byId("break-reason").value.trim() !== "" && typed === target?.key;
  byId("break-go").disabled = !ready;
  const wrong = typed.length >= (target?.key.length ?? 0) && typed !== "" && typed !== target?.key;
  setText(byId("break-trouble"), wrong ? "That is not the key." : "");
}

async function breakIt() {
  const { key, holder } = target;
  const who = byId("break-who").value.trim();
  sessionStorage.setItem("holdfast-who", who);
  // The fence names this very hold: should the lock have gone on meanwhile, the next holder keeps it.
  const query = new URLSearchParams({ key, reason: byId("break-reason").value.trim(), fence: String(holder.fence) });
  if (who !== "") query.set("owner", who);
  byId("break-go").disabled = true;
  try {
    const response = await ask("admin/locks?" + query, { method: "DELETE" });
    if (response.ok) {
      breaking.close();
      announce(key + " was taken from " + holder.owner);
      return;
    }
    setText(byId("break-trouble"), await problemOf(response));
  } catch {
    setText(byId("break-trouble"), "The server cannot be reached: nothing was broken, as far as this page knows.");
  }
  byId("break-go").disabled = false;
}

byId("break-form").addEventListener("input", checkBreak);
byId("break-form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!byId("break-go").disabled) void breakIt();
});
byId("break-cancel").addEventListener("click", () => breaking.close());
breaking.addEventListener("close", () => {
  target = null;
  if (shownKey !== null) byId("close").focus({ preventScroll: true });
});
`;
