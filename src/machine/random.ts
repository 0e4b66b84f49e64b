import { closeSync, openSync, readSync } from "node:fs";

const POOL_BYTES = 1_024;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Random bytes in hex. Asking the system for a few bytes at a time costs as much as many at once. */
export function randomHex(bytes: number): string {
  if (used + bytes > POOL_BYTES) {
    // Loading Node's crypto for this takes milliseconds; it is for systems without such a file.
    if (!fillFromSystem()) process.getBuiltinModule("node:crypto").randomFillSync(pool);
    used = 0;
  }
  const part = pool.subarray(used, used + bytes);
  used += bytes;
  const text = part.toString("hex");
  // What was handed out is not kept in memory for the next one who looks.
  part.fill(0);
  return text;
}

function fillFromSystem(): boolean {
  try {
    const source = openSync("/dev/urandom", "r");
    try {
      return readSync(source, pool) === POOL_BYTES;
    } finally {
      closeSync(source);
    }
  } catch {
    return false;
  }
}
