import { byId, setText } from "./dom.js";

/**
 * Shows how to take the first lock of this server, for an empty list.
 *
 * @param {boolean} withToken whether the server asks for one
 */
export function showFirstSteps(withToken) {
  const store = new URL(".", location.href).href.replace(/\/$/, "");
  const token = withToken ? "HOLDFAST_TOKEN=… " : "";
  setText(byId("first-command"), `${token}holdfast run production --store ${store} -- ./deploy.sh`);
  const lines = ["- uses: holdfast/holdfast@v1", "  with:", "    key: production"];
  lines.push(`    store: ${store}`);
  if (withToken) lines.push(`    token: $${"{{ secrets.HOLDFAST_TOKEN }}"}`);
  setText(byId("first-step"), lines.join("\n"));
}
