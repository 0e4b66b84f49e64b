/** The names of a store's keys in etcd, with no name of one store beginning another's. */
export class Names {
  readonly #documents: string;
  readonly #sessions: string;

  /** `prefix`: without a slash at its end. */
  constructor(prefix: string) {
    this.#documents = `${prefix}/locks/`;
    // The word of the versions before 1.0.0: under another name their holders would count as dead.
    this.#sessions = `${prefix}/beacons/`;
  }

  /** A key's document. The key is percent-encoded, so that no slash in it leads to another store. */
  document(key: string): string {
    return base64(this.#documents + encodeURIComponent(key));
  }

  session(id: string): string {
    return base64(this.#sessions + encodeURIComponent(id));
  }

  /** All documents, and perhaps keys of a store whose prefix begins with this one's. */
  get documents(): { readonly key: string; readonly range_end: string } {
    const end = `${this.#documents.slice(0, -1)}0`;
    return { key: base64(this.#documents), range_end: base64(end) };
  }

  /** The key of a document's name; null where it is none of this store's. */
  keyOf(name: string): string | null {
    const text = textOf(name).slice(this.#documents.length);
    try {
      const key = decodeURIComponent(text);
      return key !== "" && encodeURIComponent(key) === text ? key : null;
    } catch {
      return null;
    }
  }
}

/** etcd's JSON carries keys and values in base64. */
export function base64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}

export function textOf(text: string | undefined): string {
  return Buffer.from(text ?? "", "base64").toString("utf8");
}
