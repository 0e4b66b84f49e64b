/** Of one name between two slashes: servers that keep objects as files allow 255 bytes. */
const PART_LENGTH = 200;
const END = ".json";

/**
 * The names of a store's objects, with no name of one store beginning another's. They consist of
 * small letters, digits, `-`, `_` and `.`, which no URL, signature, proxy or disk reads in two ways.
 */
export class Names {
  readonly #prefix: string;

  /** `prefix`: without a slash at its end. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  get documents(): string {
    return `${this.#prefix}/locks/`;
  }

  /** The word of the versions before 1.0.0: under another name their holders would count as dead. */
  get sessions(): string {
    return `${this.#prefix}/beacons/`;
  }

  /** The object on which the server's conditions are tried. */
  get probe(): string {
    return `${this.#prefix}/probe${END}`;
  }

  document(key: string): string {
    return this.documents + nameOf(key);
  }

  session(id: string): string {
    return this.sessions + nameOf(id);
  }

  /** The key of a document's name; null where it is none of this store's. */
  keyOf(name: string): string | null {
    if (!name.startsWith(this.documents) || !name.endsWith(END)) return null;
    const bytes = name
      .slice(this.documents.length, -END.length)
      .replaceAll("_/", "")
      .replaceAll("_", "%");
    try {
      const key = decodeURIComponent(bytes);
      return key !== "" && this.document(key) === name ? key : null;
    } catch {
      return null;
    }
  }
}

/**
 * What is not plain is `_` and two hex digits a byte. Capitals are not: a server on a disk that does
 * not tell them apart must not make one lock of two keys. A long name goes on behind `_/`, which ends
 * no whole name, so that no object stands where another one needs a folder.
 */
function nameOf(text: string): string {
  const bytes = Buffer.from(text, "utf8");
  let name = "";
  let length = 0;
  bytes.forEach((byte, at) => {
    const character = String.fromCharCode(byte);
    const isDot = character === "." && at > 0;
    const isPlain = isDot || /[a-z0-9-]/.test(character);
    const part = isPlain ? character : `_${byte.toString(16).padStart(2, "0")}`;
    if (length + part.length > PART_LENGTH) {
      name += "_/";
      length = 0;
    }
    name += part;
    length += part.length;
  });
  return name + END;
}
