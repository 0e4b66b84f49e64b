import { createHash } from "node:crypto";
import { byteLength, cutToBytes } from "../lock/text.ts";

const BYTES_LIMIT = 255;
const BYTES_KEPT = 180;

/**
 * Characters to encode: servers refuse a space, control characters could forge lines, and `%` marks the
 * encoding.
 */
const UNSAFE = /[%\u0000-\u0020\u007f-\u009f]/g;

/**
 * A key as it goes over the wire. All Holdfast clients must encode alike, or they lock two
 * different keys; plain keys are sent as they are, so that other clients can name them too.
 */
export function encodeWireKey(key: string): string {
  const encoded = key.replace(UNSAFE, percentEncode);
  if (byteLength(encoded) <= BYTES_LIMIT) return encoded;
  const digest = createHash("sha256").update(key, "utf8").digest("hex");
  return `${cutToBytes(encoded, BYTES_KEPT)}~${digest}`;
}

function percentEncode(character: string): string {
  let encoded = "";
  for (const byte of Buffer.from(character, "utf8")) {
    encoded += `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return encoded;
}

/** The key as its user wrote it. If it was cut, or another client made it, it stays as it came. */
export function decodeWireKey(sent: string): string {
  if (isCut(sent)) return sent;
  try {
    return decodeURIComponent(sent);
  } catch {
    return sent;
  }
}

/** A key that was cut has a length between these two: a character is at most 4 bytes. */
function isCut(sent: string): boolean {
  const length = byteLength(sent);
  const whole = BYTES_KEPT + 65;
  return length <= whole && length > whole - 4 && /~[0-9a-f]{64}$/.test(sent);
}
