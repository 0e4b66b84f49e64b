import { randomFillSync } from "node:crypto";

/** How many random bytes are drawn from the system at once: one call for 256 tokens. */
const TOKEN_BYTES = 16;
const PAGE_BYTES = 256 * TOKEN_BYTES;

export type TokenMaker = (fence: number) => string;

/**
 * A token that proves a grant and carries its fence: a UUIDv7 in 32 hex digits. 48 bits of
 * milliseconds, the version, 12 bits that count from 0 to 999 within the millisecond, the variant
 * and 62 random bits. Fence = milliseconds * 1000 + count.
 */
export function createTokenMaker(): TokenMaker {
  const page = Buffer.alloc(PAGE_BYTES);
  let next = PAGE_BYTES;
  return (fence) => {
    if (next === PAGE_BYTES) {
      randomFillSync(page);
      next = 0;
    }
    const start = next;
    next += TOKEN_BYTES;
    const milliseconds = Math.floor(fence / 1_000);
    page.writeUIntBE(milliseconds, start, 6);
    page.writeUInt16BE(0x7000 | (fence - milliseconds * 1_000), start + 6);
    page[start + 8] = 0x80 | ((page[start + 8] as number) & 0x3f);
    return page.toString("hex", start, next);
  };
}

/**
 * The fence of a token, or null where it carries none. A foreign server's random token can look
 * like ours by chance (about one in a thousand): ask its `stats` what it is before believing this.
 */
export function fenceOf(token: string): number | null {
  if (!/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(token)) return null;
  const count = Number.parseInt(token.slice(13, 16), 16);
  const fence = Number.parseInt(token.slice(0, 12), 16) * 1_000 + count;
  return count < 1_000 && Number.isSafeInteger(fence) ? fence : null;
}
