import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import { LockError } from "../../../../lock/errors.ts";
import { randomHex } from "../../../../machine/random.ts";
import { NotState, ProtocolError, Truncated } from "./pkt-line.ts";

/** git's own id of a tree without entries: a commit without files needs no right to workflows. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
export const NO_ID = "0".repeat(40);

/** The longest document in bytes that every register carries: S3 and etcd have the same bound. */
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
  /** What stands there if it is no state; `text` is empty then. */
  readonly foreign?: string;
}

export interface NewState extends State {
  /** The commit as git stores it, without the object's head. */
  readonly content: Buffer;
  /** It follows a state without having it as its parent. */
  readonly isCut: boolean;
}

/** Where a new state begins: the state before, and its place in its chain. */
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
  // The nonce: two claims that write the same text in the same second must not make the same commit. Each would
  // take the other's for its own.
  const head = [
    `tree ${EMPTY_TREE}`,
    ...(parent === null ? [] : [`parent ${parent.id}`]),
    `author ${who}`,
    `committer ${who}`,
    `${HEADER} ${place} ${randomHex(8)}`,
  ];
  const content = Buffer.from(`${head.join("\n")}\n\n${text}`);
  return { id: objectId("commit", content), text, place, isCut: before !== parent, content };
}

/** Reads a commit that a server sent for `id`. A commit of another tool is read too: its message is the text. */
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
    // If it is not known, the chain ends here.
    place: place === undefined ? CHAIN_LIMIT : Number(place),
  };
}

/** Stands for something that is no state. The next state begins a chain. */
export function foreignState(id: string, foreign: string): State {
  return { id, text: "", place: CHAIN_LIMIT, foreign };
}

export function objectId(type: string, content: Buffer): string {
  return createHash("sha1").update(`${type} ${content.length}\0`).update(content).digest("hex");
}

/** The pack format, as far as single commits need it: no deltas, no index. */
export interface PackedObject {
  readonly type: ObjectType;
  readonly content: Buffer;
}

export type ObjectType = "commit" | "tree" | "blob" | "tag";

const TYPES: Readonly<Record<number, ObjectType>> = { 1: "commit", 2: "tree", 3: "blob", 4: "tag" };
const NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
const DELTAS = [6, 7];

const HEAD_BYTES = 12;
const SUM_BYTES = 20;
/**
 * The most objects of a pack: a shallow fetch of one commit has the commit and the empty tree. With many more it
 * is another kind of answer.
 */
const OBJECTS_LIMIT = 16;
const OBJECT_BYTES_LIMIT = 1024 * 1024;

export function writePack(objects: readonly PackedObject[]): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write("PACK", "latin1");
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(objects.length, 8);
  const parts = objects.flatMap(({ type, content }) => [
    objectHead(NUMBERS[type], content.length),
    deflateSync(content),
  ]);
  const body = Buffer.concat([head, ...parts]);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}

/** Four bits of the size beside the type, then seven in each further byte. */
function objectHead(type: number, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (type << 4) | (size & 0x0f);
  for (let rest = size >>> 4; rest > 0; rest >>>= 7) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
  }
  return Buffer.from([...bytes, byte]);
}

export function readPack(bytes: Buffer): PackedObject[] {
  if (bytes.length < HEAD_BYTES + SUM_BYTES) throw new Truncated("a pack that was cut");
  const body = bytes.subarray(0, bytes.length - SUM_BYTES);
  if (body.toString("latin1", 0, 4) !== "PACK") {
    throw new ProtocolError("no pack where one should be");
  }
  const sum = createHash("sha1").update(body).digest();
  if (!sum.equals(bytes.subarray(body.length))) throw new Truncated("a pack that was cut");
  const count = body.readUInt32BE(8);
  if (count > OBJECTS_LIMIT) throw new NotState(`a commit with ${count - 1} files`);
  const objects: PackedObject[] = [];
  let at = HEAD_BYTES;
  for (let index = 0; index < count; index++) {
    const { number, size, length } = readHead(body, at);
    const type = TYPES[number];
    if (DELTAS.includes(number)) {
      throw new NotState("a commit with files, which come as deltas");
    }
    if (type === undefined) throw new ProtocolError(`a pack with an object of kind ${number}`);
    const { content, taken } = inflate(body.subarray(at + length), size);
    objects.push({ type, content });
    at += length + taken;
  }
  if (at !== body.length) throw new ProtocolError("a pack with more than its objects");
  return objects;
}

function readHead(body: Buffer, at: number): { number: number; size: number; length: number } {
  let byte = body[at] ?? 0;
  const number = (byte >> 4) & 0x07;
  let size = byte & 0x0f;
  let length = 1;
  for (let shift = 4; (byte & 0x80) !== 0; shift += 7, length++) {
    byte = body[at + length] ?? 0;
    size += (byte & 0x7f) * 2 ** shift;
    if (size > OBJECT_BYTES_LIMIT) throw new NotState("an object without end");
  }
  return { number, size, length };
}

/** What Node's types do not say of `info`: it gives back the engine, which counted what it took. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

function inflate(bytes: Buffer, size: number): { content: Buffer; taken: number } {
  let inflated: Inflated;
  try {
    const options = { info: true, maxOutputLength: Math.max(1, size) };
    inflated = inflateSync(bytes, options) as unknown as Inflated;
  } catch (error) {
    throw new ProtocolError("an object that cannot be inflated", { cause: error });
  }
  const { buffer, engine } = inflated;
  if (buffer.length !== size) throw new ProtocolError("an object of another size than it says");
  return { content: buffer, taken: engine.bytesWritten };
}
