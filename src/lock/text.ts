/** C0, DEL and C1: characters that can forge a line, move a cursor or end a string. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g;

export function hasControl(text: string): boolean {
  return CONTROL.test(text);
}

/** Replaces each control character by a space, as the lock-file specs say of tags. */
export function cleanText(text: string): string {
  return text.replace(CONTROLS, " ");
}

export function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}

/** Cuts at a character boundary so that at most `bytes` bytes of UTF-8 remain. */
export function cutToBytes(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += byteLength(character);
    if (length > bytes) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** For error sentences: the text in quotes, control characters made visible, long text cut. */
export function quote(text: string, limit = 60): string {
  const shown = JSON.stringify(cutToBytes(text, limit)).replace(
    /[\u007f-\u009f]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return byteLength(text) > limit ? `${shown}…` : shown;
}

/** What a text says as JSON; undefined if it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The JSON object that a text is; null for any other text. */
export function jsonObject(text: string): Record<string, unknown> | null {
  const value = jsonIn(text);
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** SHA-256 of a text, in 64 hex digits. */
export function sha256(text: string): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", text);
}

/** C0, DEL, C1 and the two line separators: they move the cursor, colour the screen or forge a line. */
const UNSHOWABLE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;
/** Marks that turn the direction of text: with them a line can look like another line. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/**
 * `##[…]`, `##vso[…]`, `##teamcity[…]`: commands that the runners of GitHub, Azure and TeamCity obey
 * anywhere in a line. GitHub's runner compares by culture, and so ignores invisible characters.
 */
const COMMANDS =
  /#(\p{Default_Ignorable_Code_Point}*)#(?=[\w\p{Default_Ignorable_Code_Point}]*\[)/gu;
/** `::…::`, which GitHub's runner obeys at the beginning of a line, behind white space as well. */
const LINE_COMMAND =
  /^([\s\p{Default_Ignorable_Code_Point}]*):(?=\p{Default_Ignorable_Code_Point}*:)/u;

/**
 * Text for a log or a terminal, on one line. Others wrote the owners, notes, keys and run addresses: a
 * terminal or a CI runner must not take any of it for a command.
 */
export function showable(text: string): string {
  return text
    .toWellFormed()
    .replace(UNSHOWABLE, " ")
    .replace(DIRECTIONS, "\ufffd")
    .replace(COMMANDS, "# $1#")
    .replace(LINE_COMMAND, "$1: ");
}

/** One JSON document, with the same characters escaped: equal for a parser, harmless in a log. */
export function jsonText(value: unknown): string {
  const escaped = (character: string) =>
    `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value)
    .replace(UNSHOWABLE, escaped)
    .replace(DIRECTIONS, escaped)
    .replace(COMMANDS, "#$1\\u0023");
}

/** `?password=…`: no store knows such an option, but other programs do, and the error shows the URL. */
const SECRET_OPTION = /([?&][^=&#]*(?:pass|secret|token)[^=&#]*=)[^&#]*/gi;

/**
 * A store's URL without the password in it: user, host, port and path stay. Used for everything that is
 * shown, also for invalid URLs: if it is not clear which part is the password, more is left out.
 */
export function withoutPassword(url: string): string {
  const [start] = /^[A-Za-z][A-Za-z0-9+.-]+:(\/\/)?/.exec(url) ?? [""];
  const rest = url.slice(start.length);
  const [authority = ""] = rest.split(/[/?#]/, 1);
  // `user:pass/word@host` is an invalid URL, but it shows where the password is.
  const isPort = /:\d*$/.test(authority);
  const end =
    authority.includes("@") || isPort ? authority.lastIndexOf("@") : rest.lastIndexOf("@");
  const isPath = start === "" || start.toLowerCase() === "file:";
  if (isPath) return url;
  const shown = url.replace(SECRET_OPTION, "$1…");
  if (end === -1 || !rest.slice(0, end).includes(":")) return shown;
  const user = rest.slice(0, rest.indexOf(":"));
  const where = rest.slice(end + 1).replace(SECRET_OPTION, "$1…");
  return `${start}${user === "" ? "" : `${user}@`}${where}`;
}

/** The password in a store's URL, decoded; null if there is none, or it is not clear what it is. */
export function passwordIn(url: string): string | null {
  const [, rest = ""] = /^[A-Za-z][A-Za-z0-9+.-]+:\/\/(.*)$/s.exec(url.trim()) ?? [];
  const [authority = ""] = rest.split(/[/?#]/, 1);
  const [, password = ""] = /^[^:]*:(.*)@/s.exec(authority) ?? [];
  try {
    return decodeURIComponent(password) || null;
  } catch {
    return null;
  }
}

/**
 * Decides whether a secret may go to an address: only to the address that it was given for, as the
 * inputs, the saved state or the user named it. Every place that has an address from a file, a document
 * or a server's answer asks this function; a test lists these places.
 */
export function maySendSecret(to: string, meantFor: string | null): boolean {
  return meantFor !== null && plainAddress(to) === plainAddress(meantFor);
}

function plainAddress(address: string): string {
  return withoutPassword(address.trim()).replace(/\/+$/, "");
}

/** Quotes a word for a POSIX shell where it needs that, for commands that a user may copy. */
export function shellWord(text: string): string {
  if (/^[\w./:@%+=-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
