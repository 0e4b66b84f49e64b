/**
 * Finds an element of the page by its id. Throws where it is missing or of another kind, so that a
 * page and a script that do not match are noticed at once.
 *
 * @overload
 * @param {string} id
 * @returns {HTMLElement}
 */
/**
 * @template {HTMLElement} T
 * @overload
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
/**
 * @param {string} id
 * @param {new () => HTMLElement} [kind]
 */
export function byId(id, kind = HTMLElement) {
  const node = document.getElementById(id);
  if (node instanceof kind) return node;
  throw new Error(`The page has no ${kind.name} #${id}.`);
}

/**
 * Makes an element. Everything that comes from the server goes in as text.
 *
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} [className]
 * @param {string} [text]
 */
export function make(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/**
 * Sets a text where it differs: writing the same again would cost a layout, and end a selection.
 *
 * @param {Node} node
 * @param {string} text
 */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Parses the address of a run. Its owner may say anything, so only the web's own schemes become links.
 *
 * @param {unknown} value
 */
export function webAddress(value) {
  if (typeof value !== "string") return null;
  try {
    const url = new URL(value);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

/**
 * Makes the name of a party, as a link to its run where it has one.
 *
 * @param {{ readonly who: string; readonly metadata: Readonly<Record<string, unknown>> }} party
 */
export function nameOf(party) {
  return runLink(party, "owner", party.who);
}

/**
 * Makes a link to a party's run, or plain text where it names none.
 *
 * @param {{ readonly metadata: Readonly<Record<string, unknown>> }} party
 * @param {string} className
 * @param {string} text
 */
function runLink(party, className, text) {
  const url = webAddress(party.metadata?.run_url);
  if (url === null) return make("span", `${className} theirs`, text);
  const link = make("a", `${className} theirs`, text);
  link.href = url.href;
  link.target = "_blank";
  link.rel = "noopener noreferrer";
  link.title = url.href;
  return link;
}

/** The shortest time between two announcements: a screen reader that reads out a thousand is of no use. */
const ANNOUNCE_MS = 1_500;
let announced = 0;

/**
 * Tells a screen reader.
 *
 * @param {string} text
 */
export function announce(text) {
  if (Date.now() - announced < ANNOUNCE_MS) return;
  announced = Date.now();
  setText(byId("announce"), text);
}
