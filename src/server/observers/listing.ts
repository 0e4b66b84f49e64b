import type { KeyJson } from "./describe.ts";

/**
 * A list of locks as JSON. It is bounded, since no lock is granted while it is made; also in
 * characters, since clients choose how much they tell about themselves.
 */
export class Listing {
  readonly #keysLimit: number;
  readonly #lengthLimit: number;
  readonly #elements: string[] = [];
  #length = 0;

  constructor(keysLimit: number, lengthLimit: number) {
    this.#keysLimit = keysLimit;
    this.#lengthLimit = lengthLimit;
  }

  get isFull(): boolean {
    return this.#elements.length >= this.#keysLimit || this.#length >= this.#lengthLimit;
  }

  add(lock: KeyJson): void {
    const text = JSON.stringify(lock);
    this.#elements.push(text);
    this.#length += text.length;
  }

  toString(): string {
    return `[${this.#elements.join(",")}]`;
  }
}
