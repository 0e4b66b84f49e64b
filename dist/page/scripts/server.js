import { byId, setText } from "./dom.js";

/** Where the token is kept: for this tab alone, until it is closed. */
const TOKEN_NAME = "holdfast-token";

/** Comes in the part of an address that a browser sends to nobody, and does not stay there. */
const GIVEN = /^#token=(.+)$/;
const [, given] = GIVEN.exec(location.hash) ?? [];
if (given !== undefined) {
  sessionStorage.setItem(TOKEN_NAME, given);
  history.replaceState(null, "", location.pathname + location.search);
}

/** Whether the address has a token now: it was pasted over that of a page that is open. */
export function hasToken() {
  return GIVEN.test(location.hash);
}

export function storedToken() {
  return sessionStorage.getItem(TOKEN_NAME);
}

/**
 * Asks the server, with the token where there is one. Paths are relative, since the server may stand
 * below a path of a proxy.
 *
 * @param {string} path
 * @param {RequestInit & { headers?: Record<string, string> }} [options]
 */
export function ask(path, options) {
  /** @type {Record<string, string>} */
  const headers = { ...options?.headers };
  const token = storedToken();
  if (token !== null) headers.authorization = `Bearer ${asBytes(token)}`;
  return fetch(path, { ...options, headers, cache: "no-store", credentials: "omit" });
}

/**
 * Turns letters beyond ASCII into the bytes of UTF-8: a header holds bytes.
 *
 * @param {string} text
 */
function asBytes(text) {
  return String.fromCharCode(...new TextEncoder().encode(text));
}

/**
 * Reads what the server says is wrong.
 *
 * @param {Response} response
 * @returns {Promise<string>}
 */
export async function problemOf(response) {
  try {
    const { message, error } = await response.json();
    if (message || error) return String(message || error);
  } catch {}
  return `The server answered ${response.status}.`;
}

/**
 * Asks the reader for the server's token. Resolves once there is one to try.
 *
 * @returns {Promise<void>}
 */
export function askToken() {
  const asking = byId("ask", HTMLDialogElement);
  const field = byId("ask-token", HTMLInputElement);
  const refused = storedToken() !== null;
  sessionStorage.removeItem(TOKEN_NAME);
  setText(byId("ask-trouble"), refused ? "The server does not take this token." : "");
  field.value = "";
  if (!asking.open) asking.showModal();
  field.focus();
  return new Promise((resolve) => {
    byId("ask-form").onsubmit = (event) => {
      event.preventDefault();
      const token = field.value.trim();
      if (token === "") return;
      sessionStorage.setItem(TOKEN_NAME, token);
      asking.close();
      resolve();
    };
  });
}

// Escape would close the dialog, and there is nothing to see behind it.
byId("ask").addEventListener("cancel", (event) => event.preventDefault());
byId("forget").addEventListener("click", () => {
  sessionStorage.removeItem(TOKEN_NAME);
  location.reload();
});
