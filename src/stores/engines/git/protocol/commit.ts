import { createHash, randomBytes } from "node:crypto";
import { LockError } from "../../../../lock/errors.ts";
import { NotState } from "./pkt-line.ts";

/** git's own id of a tree without entries: a commit without files needs no right to workflows. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
export const NO_ID = "0".repeat(40);

/** As much as every register carries; S3 and etcd have the same bound. */
export const DOCUMENT_BYTES_LIMIT = 64 * 1024;

/**
 * How many states hang together as parents: `git log` on the ref is the key's record of them. The
 * next state begins a new chain, so that a server may forget old ones and a clone stays small.
 */
export const CHAIN_LIMIT = 100;

const AUTHOR = "holdfast <holdfast@localhost>";
/** git lets a commit have further header lines; jj and others keep theirs there too. */
const HEADER = "holdfast-state";

/** A state of a key: one commit whose message is the document. */
export interface State {
  readonly id: string;
  readonly text: string;
  /** Its place in its chain, from 1. */
  readonly place: number;
  /** What it is, where it is no state: then `text` is empty. */
  readonly foreign?: string;
}

export interface NewState extends State {
  /** The commit as git stores it, without the object's head. */
  readonly content: Buffer;
  /** It follows a state without having it as its parent. */
  readonly isCut: boolean;
}

/** Where a new state begins: the one before, and its place in its chain. */
export type Before = Pick<State, "id" | "place">;

/** The state that follows `before` (null: the key's first). `endless`: its chain is never cut. */
export function nextState(before: Before | null, text: string, endless = false): NewState {
  const bytes = Buffer.byteLength(text);
  if (bytes > DOCUMENT_BYTES_LIMIT) {
    throw new LockError(
      "STORE_FULL",
      `The state of the key has ${bytes} bytes, and ${DOCUMENT_BYTES_LIMIT} is the most that fits: fewer claims must wait at once, or with shorter notes.`,
    );
  }
  const parent = before !== null && (endless || before.place < CHAIN_LIMIT) ? before : null;
  const place = (parent?.place ?? 0) + 1;
  const who = `${AUTHOR} ${Math.floor(Date.now() / 1_000)} +0000`;
  // The nonce: two claims that write the same text in the same second must not make the same commit,
  // or each would take the other's for its own.
  const head = [
    `tree ${EMPTY_TREE}`,
    ...(parent === null ? [] : [`parent ${parent.id}`]),
    `author ${who}`,
    `committer ${who}`,
    `${HEADER} ${place} ${randomBytes(8).toString("hex")}`,
  ];
  const content = Buffer.from(`${head.join("\n")}\n\n${text}`);
  return { id: objectId("commit", content), text, place, isCut: before !== parent, content };
}

/** Reads a commit that a server sent for `id`. One of other tools is read too: its message is the text. */
export function readState(id: string, content: Buffer): State {
  if (objectId("commit", content) !== id) throw new NotState("a tag, or a commit of another id");
  const end = content.indexOf("\n\n");
  if (end === -1) throw new NotState("a commit without a message");
  if (content.length - end - 2 > DOCUMENT_BYTES_LIMIT) {
    throw new NotState(`a commit whose message has over ${DOCUMENT_BYTES_LIMIT} bytes`);
  }
  const head = content.toString("utf8", 0, end);
  const place = new RegExp(`^${HEADER} (\\d{1,6}) `, "m").exec(head)?.[1];
  return {
    id,
    text: content.toString("utf8", end + 2),
    // Where it is not known, the chain ends here.
    place: place === undefined ? CHAIN_LIMIT : Number(place),
  };
}

/** In the place of something that is no state. The next one begins a chain. */
export function foreignState(id: string, foreign: string): State {
  return { id, text: "", place: CHAIN_LIMIT, foreign };
}

export function objectId(type: string, content: Buffer): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}
