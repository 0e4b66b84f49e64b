/**
 * The trace of a simulation as a number: every event changes it. Two runs with the same number have
 * gone the same way, so that a seed that failed can be replayed.
 */
export class Trace {
  #high = 0x811c9dc5;
  #low = 0x01000193;
  events = 0;
  /** The readable trace; null where nobody wants to read it. */
  readonly lines: string[] | null;

  constructor(isReadable: boolean) {
    this.lines = isReadable ? [] : null;
  }

  /** Mixes a number and a word into it. */
  note(at: number, word: string, number: number): void {
    this.events++;
    this.#mix(Math.round(at * 1_000) | 0);
    this.#mix(number | 0);
    for (let place = 0; place < word.length; place++) this.#mix(word.charCodeAt(place));
  }

  /** A line for people, which is mixed in as well. */
  say(at: number, who: string, what: string): void {
    this.note(at, who, what.length);
    this.note(at, what, 0);
    this.remark(at, who, what);
  }

  /** A line for people alone. */
  remark(at: number, who: string, what: string): void {
    this.lines?.push(`${(at / 1_000).toFixed(6).padStart(13)} ${who.padEnd(9)} ${what}`);
  }

  get digest(): string {
    const hex = (part: number) => (part >>> 0).toString(16).padStart(8, "0");
    return hex(this.#high) + hex(this.#low);
  }

  #mix(number: number): void {
    this.#high = Math.imul(this.#high ^ number, 0x01000193);
    this.#low = Math.imul((this.#low ^ (number + (this.#high >>> 7))) >>> 0, 0x85ebca6b);
    this.#low ^= this.#low >>> 13;
  }
}
