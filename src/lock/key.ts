import { LockError } from "./errors.ts";
import { byteLength, hasControl, quote, sha256 } from "./text.ts";

export const KEY_BYTES_LIMIT = 200;

/** File names stay below the 255 bytes of most filesystems, with room for suffixes. */
const NAME_BYTES_LIMIT = 150;
const NAME_BYTES_KEPT = 80;

/** A key is opaque text: checked here once, then encoded, never interpreted. */
export function parseKey(text: string): string {
  if (text === "") {
    throw new LockError(
      "BAD_KEY",
      "The key is empty: name what is to be locked, such as production.",
    );
  }
  if (!text.isWellFormed()) {
    throw new LockError(
      "BAD_KEY",
      `The key ${quote(text)} is not valid Unicode: use plain UTF-8 text.`,
    );
  }
  if (hasControl(text)) {
    throw new LockError(
      "BAD_KEY",
      `The key ${quote(text)} contains a control character: use printable text.`,
    );
  }
  const bytes = byteLength(text);
  if (bytes > KEY_BYTES_LIMIT) {
    throw new LockError(
      "BAD_KEY",
      `The key ${quote(text, 40)} has ${bytes} bytes: use at most ${KEY_BYTES_LIMIT}.`,
    );
  }
  return text;
}

/**
 * The file name of a key, without `.lock`. Everything but letters, digits, `.`, `_` and `-` is
 * percent-encoded, and so is a leading dot, so that no key can leave the directory or hide in it.
 */
export function encodeKey(key: string): string {
  const encoded = encodeBytes(key);
  if (encoded.length <= NAME_BYTES_LIMIT) return encoded;
  const digest = sha256(key);
  return `${encoded.slice(0, NAME_BYTES_KEPT)}~${digest}`;
}

function encodeBytes(key: string): string {
  let name = "";
  for (const byte of Buffer.from(key, "utf8")) {
    const plain = isPlain(byte) && !(name === "" && byte === 0x2e);
    name += plain
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return name;
}

function isPlain(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2e ||
    byte === 0x5f ||
    byte === 0x2d
  );
}

/** The key of a file name, or null where the name was cut (the key is then a field of the file). */
export function decodeKey(name: string): string | null {
  if (name.includes("~")) return null;
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}
