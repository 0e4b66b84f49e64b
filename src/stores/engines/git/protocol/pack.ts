import { createHash } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import { NotState, ProtocolError, Truncated } from "./pkt-line.ts";

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
/** A shallow fetch of one commit has it and the empty tree: many more is another kind of answer. */
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
