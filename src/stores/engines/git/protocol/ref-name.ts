import { createHash } from "node:crypto";

/** The last component of a ref. With `.lock` behind it, it is a file name on the server. */
const NAME_BYTES_LIMIT = 200;
const NAME_BYTES_KEPT = 120;
/** A mark that no encoded key has and git allows: behind it stands the digest of a key that was cut. */
const CUT = "=";

/**
 * The name of a key's ref. Small letters, digits, `_`, `-` and single dots stay; everything else is
 * percent-encoded, capitals too: a server on a disk that does not tell them apart must not make one
 * lock of two keys. The result is one component that git accepts, whatever the key.
 */
export function refNameOf(key: string): string {
  const bytes = Buffer.from(key, "utf8");
  const encoded = [...bytes].map((byte, at) =>
    isPlain(byte) || (byte === DOT && isInnerDot(bytes, at))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).padStart(2, "0")}`,
  );
  const name = encoded.join("");
  if (name.length <= NAME_BYTES_LIMIT) return name;
  let kept = "";
  for (const part of encoded) {
    if (kept.length + part.length > NAME_BYTES_KEPT) break;
    kept += part;
  }
  return `${kept}${CUT}${createHash("sha256").update(key).digest("hex")}`;
}

/** The key of a ref's name. Null if the name was cut, or is not one of ours. */
export function keyOfRefName(name: string): string | null {
  let key: string;
  try {
    key = decodeURIComponent(name);
  } catch {
    return null;
  }
  return key !== "" && refNameOf(key) === name ? key : null;
}

/** Whether the name may belong to a key that only the document tells. */
export function isCutName(name: string): boolean {
  return new RegExp(`^[^${CUT}]+${CUT}[0-9a-f]{64}$`).test(name);
}

const DOT = 0x2e;

function isPlain(byte: number): boolean {
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x5f ||
    byte === 0x2d
  );
}

/** git refuses a dot at the beginning, at the end, beside another and before a final `lock`. */
function isInnerDot(bytes: Buffer, at: number): boolean {
  if (at === 0 || at === bytes.length - 1) return false;
  if (bytes[at - 1] === DOT) return false;
  return bytes.toString("latin1", at) !== ".lock";
}
