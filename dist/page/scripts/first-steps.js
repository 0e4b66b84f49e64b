import { byId, setText } from "./dom.js";

/**
 * Shows how to take the first lock of this server, for an empty list; or of the store that it shows.
 *
 * @param {boolean} hasToken whether the server asks for one
 * @param {string} named the store; empty: it is the server
 */
export function showFirstSteps(hasToken, named) {
  const store = named || new URL(".", location.href).href.replace(/\/$/, "");
  const withToken = hasToken && named === "";
  const token = withToken ? "HOLDFAST_TOKEN=… " : "";
  setText(byId("first-command"), `${token}holdfast run production --store ${store} -- ./deploy.sh`);
  const lines = ["- uses: holdfast-ci/holdfast@v1", "  with:", "    key: production"];
  lines.push(`    store: ${store}`);
  if (withToken) lines.push(`    token: $${"{{ secrets.HOLDFAST_TOKEN }}"}`);
  setText(byId("first-step"), lines.join("\n"));
}

for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const text = button.previousElementSibling;
    if (text === null) return;
    // Select it too: a page without TLS may not write to the clipboard.
    getSelection()?.selectAllChildren(text);
    await navigator.clipboard?.writeText(text.textContent ?? "").catch(() => {});
    setText(button, "Copied");
    setTimeout(() => setText(button, "Copy"), 2000);
  });
}
