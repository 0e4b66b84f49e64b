import { LockError } from "../lock/errors.ts";
import { quote } from "../lock/text.ts";

const PLAIN_HTTP = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/;

/** Whether secrets may travel to this address: by TLS, or within this machine. */
export function isSafeUrl(url: string): boolean {
  return URL.canParse(url) && (url.startsWith("https://") || PLAIN_HTTP.test(url));
}

/** Reads a file of JSON that people write, and names the place of every mistake with BAD_OPTION. */
export class JsonReader {
  readonly #called: string;
  readonly #help: string;

  /** `called`: what sentences begin with, such as `policy "p.json"`. */
  constructor(called: string, help: string) {
    this.#called = called;
    this.#help = help;
  }

  bad(place: string, problem: string, advice: string, cause?: unknown): LockError {
    const between = place === "" ? ":" : "";
    const sentence = `${this.begins(place)}${between} ${problem}; ${advice}.`;
    return new LockError("BAD_OPTION", sentence, cause === undefined ? {} : { cause });
  }

  /** The beginning of a sentence about a place in the file. */
  protected begins(place: string): string {
    return place === "" ? `The ${this.#called}` : `The ${this.#called}: ${place}`;
  }

  /** The file's one object. */
  parse(
    text: string,
    needed: readonly string[],
    optional: readonly string[] = [],
  ): Record<string, unknown> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw this.bad("", "is not JSON", `write an object with ${needed.join(" and ")}`, error);
    }
    const again = nameTwice(text);
    if (again !== null) {
      throw this.bad("", `has an object with ${quote(again)} twice`, "say each name once");
    }
    return this.object(value, "", needed, optional);
  }

  /** An object that has these fields and, but for the optional ones, no others; without names, any. */
  object(
    value: unknown,
    place: string,
    needed?: readonly string[],
    optional: readonly string[] = [],
  ): Record<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw this.bad(place, "is not an object", this.#help);
    }
    const fields = value as Record<string, unknown>;
    if (needed === undefined) return fields;
    const known = [...needed, ...optional];
    const unknown = Object.keys(fields).find((field) => !known.includes(field));
    if (unknown !== undefined) {
      throw this.bad(place, `has the unknown field ${quote(unknown)}`, `use ${known.join(", ")}`);
    }
    const missing = needed.find((field) => !Object.hasOwn(fields, field));
    if (missing === undefined) return fields;
    throw this.bad(place, `has no ${quote(missing)}`, `it needs ${needed.join(", ")}`);
  }

  list(value: unknown, place: string): readonly unknown[] {
    if (Array.isArray(value) && value.length > 0) return value;
    throw this.bad(place, "is no list, or an empty one", "write [ … ] with at least one element");
  }

  text(value: unknown, place: string): string {
    if (typeof value === "string" && value.trim() !== "") return value;
    throw this.bad(place, "is no text, or empty", "write it in quotes");
  }
}

/**
 * Finds a name that an object of this sound JSON text has twice; null: none has. JSON.parse would take
 * the last one without a word, and what the first one demanded would be gone.
 */
function nameTwice(text: string): string | null {
  const objects: Set<string>[] = [];
  let last = "";
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}:]/g)) {
    if (part === "{") objects.push(new Set());
    else if (part === "}") objects.pop();
    else if (part !== ":") last = part;
    else {
      const name = JSON.parse(last) as string;
      if (objects.at(-1)?.has(name)) return name;
      objects.at(-1)?.add(name);
    }
  }
  return null;
}
