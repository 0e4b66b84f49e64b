import { createHash, timingSafeEqual } from "node:crypto";

/**
 * The token that clients must show. Kept and compared as a digest: comparing takes the same time
 * whatever was sent, also where the lengths differ, and the text itself is nowhere to be dumped.
 */
export class Secret {
  readonly #digest: Buffer;

  constructor(text: string) {
    this.#digest = digestOf(text);
  }

  matches(text: string): boolean {
    return timingSafeEqual(this.#digest, digestOf(text));
  }
}

function digestOf(text: string): Buffer {
  return createHash("sha256").update(text, "utf8").digest();
}
