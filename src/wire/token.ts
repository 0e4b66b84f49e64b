import { randomFillSync } from "node:crypto";

/** Random bytes are drawn from the system in pages: one call for 512 tokens. */
const PAGE_BYTES = 4_096;
const RANDOM_BYTES = 8;

export type TokenMaker = (fence: number) => string;

/**
 * A token that proves a grant and carries its fence: a UUIDv7 in 32 hex digits. 48 bits of
 * milliseconds, the version, 12 bits that count from 0 to 999 within the millisecond, the variant
 * and 62 random bits. Fence = milliseconds * 1000 + count.
 */
export function createTokenMaker(): TokenMaker {
  const page = Buffer.alloc(PAGE_BYTES);
  const token = Buffer.alloc(16);
  let used = PAGE_BYTES;
  return (fence) => {
    if (used === PAGE_BYTES) {
      randomFillSync(page);
      used = 0;
    }
    page.copy(token, 8, used, used + RANDOM_BYTES);
    // Used bytes are forgotten, so that a memory dump gives away no tokens but those in use.
    page.fill(0, used, used + RANDOM_BYTES);
    used += RANDOM_BYTES;
    const milliseconds = Math.floor(fence / 1_000);
    token.writeUIntBE(milliseconds, 0, 6);
    token.writeUInt16BE(0x7000 | (fence - milliseconds * 1_000), 6);
    token[8] = 0x80 | ((token[8] as number) & 0x3f);
    return token.toString("hex");
  };
}

/**
 * The fence of a token, or null where it carries none. A foreign server's random token can look
 * like ours by chance (about one in a thousand): ask its `stats` who it is before believing this.
 */
export function fenceOf(token: string): number | null {
  if (!/^[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/.test(token)) return null;
  const count = Number.parseInt(token.slice(13, 16), 16);
  const fence = Number.parseInt(token.slice(0, 12), 16) * 1_000 + count;
  return count < 1_000 && Number.isSafeInteger(fence) ? fence : null;
}
