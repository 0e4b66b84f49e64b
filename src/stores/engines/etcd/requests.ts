/** An answer to a transaction, as far as this store looks at it. */
export interface TxnAnswer {
  readonly header?: { readonly revision?: string };
  readonly succeeded?: boolean;
  readonly responses?: readonly { readonly response_range?: RangeAnswer }[];
}

export interface RangeAnswer {
  readonly header?: { readonly revision?: string };
  readonly kvs?: readonly {
    readonly key: string;
    readonly value?: string;
    readonly mod_revision: string;
  }[];
  readonly more?: boolean;
}

const isDigits = (value: unknown) => typeof value === "string" && /^-?\d{1,20}$/.test(value);
const isText = (value: unknown) => typeof value === "string";
const isFlag = (value: unknown) => typeof value === "boolean";

/** Every field of etcd's answers that is looked at, wherever it stands, and what it has to be. */
const FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  header: isAnswer,
  result: isAnswer,
  response_range: isAnswer,
  kv: isAnswer,
  kvs: areRecords,
  responses: areAnswers,
  events: areAnswers,
  key: isText,
  value: isText,
  token: isText,
  revision: isDigits,
  mod_revision: isDigits,
  compact_revision: isDigits,
  ID: isDigits,
  TTL: isDigits,
  succeeded: isFlag,
  more: isFlag,
  canceled: isFlag,
};

/** Whether an answer is an object in which each field that is looked at has the right kind. */
export function isAnswer(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, field]) =>
    Object.hasOwn(FIELDS, name) ? (FIELDS[name]?.(field) ?? true) : true,
  );
}

function areAnswers(value: unknown): boolean {
  return Array.isArray(value) && value.every(isAnswer);
}

/** An entry under `kvs` always has a key and a revision. */
function areRecords(value: unknown): boolean {
  const isRecord = (each: Record<string, unknown>) =>
    isText(each.key) && isDigits(each.mod_revision);
  return areAnswers(value) && (value as Record<string, unknown>[]).every(isRecord);
}

/** What a swap does besides: it begins or ends the swapper's session, and touches the sessions that it wakes. */
export interface Besides {
  readonly begins: { readonly key: string; readonly lease: string } | null;
  /** A session's key; null: none. */
  readonly ended: string | null;
  /** Keys of sessions that have to be there. */
  readonly need: readonly string[];
  /** Keys of sessions that are touched. */
  readonly touch: readonly string[];
}

/** A transaction that replaces the value of that revision ("0": there is none). */
export function swapTxn(
  key: string,
  revision: string,
  value: string,
  { begins, ended, need, touch }: Besides,
): unknown {
  const first = begins === null ? [] : [{ request_put: begins }];
  const last = ended === null ? [] : [{ request_delete_range: { key: ended } }];
  return {
    compare: [
      { key, target: "MOD", result: "EQUAL", mod_revision: revision },
      ...need.map(isThere),
    ],
    success: [{ request_put: { key, value } }, ...first, ...last, ...touch.map(touched)],
    // Even a swap that has lost the race has shown that its session lives.
    failure: first,
  };
}

function isThere(key: string): unknown {
  return { key, target: "CREATE", result: "GREATER", create_revision: "0" };
}

/** Wakes a session by writing its key anew. A dead session must not come back by that. */
function touched(key: string): unknown {
  return {
    request_txn: {
      compare: [isThere(key)],
      success: [{ request_put: { key, ignore_lease: true } }],
    },
  };
}

/** The names of a store's keys in etcd. No name of one store begins with another store's names. */
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

  /** All documents, and perhaps keys of a store whose prefix begins with this store's. */
  get documents(): { readonly key: string; readonly range_end: string } {
    const end = `${this.#documents.slice(0, -1)}0`;
    return { key: base64(this.#documents), range_end: base64(end) };
  }

  /** The key of a document's name; null if it is not this store's. */
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
