/**
 * Redis' protocol, version 3: bytes in, replies out. In version 3 notifications come on the same connection as
 * answers, so a claim needs one connection.
 */
export type Reply =
  | Buffer
  | string
  | number
  | boolean
  | null
  | RedisError
  | readonly Reply[]
  | Push;

/** An answer that begins with a minus sign. It is a value: inside another answer it ends nothing. */
export class RedisError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** What the server sends by itself, and its answer to SUBSCRIBE. */
export class Push {
  readonly parts: readonly Reply[];

  constructor(parts: readonly Reply[]) {
    this.parts = parts;
  }
}

/** What a command may be answered with: one of these checks every answer before it is used. */
export type Shape<T extends Reply> = (reply: Reply) => reply is T;

export const isText: Shape<Buffer | string> = (reply) =>
  Buffer.isBuffer(reply) || typeof reply === "string";
export const isNumber: Shape<number> = (reply) => typeof reply === "number";
export const isPush: Shape<Push> = (reply) => reply instanceof Push;
/** Whether a reply is a list or a map, with texts, numbers and lists in it. */
export const isList: Shape<readonly Reply[]> = (reply) => Array.isArray(reply);

const isValue = (reply: Reply) => reply === null || Buffer.isBuffer(reply);

/** Whether it is a document or none, or an error because the key has something else than a text. */
export const isDocument: Shape<Buffer | null | RedisError> = (reply): reply is Buffer | null =>
  isValue(reply) || (reply instanceof RedisError && /^WRONGTYPE\b/.test(reply.message));

/** Whether it is that many values. */
export function areValues(count: number): Shape<readonly (Buffer | null)[]> {
  return (reply): reply is readonly (Buffer | null)[] =>
    Array.isArray(reply) && reply.length === count && reply.every(isValue);
}

/** Whether it is the place where to go on, and names. */
export const isScan: Shape<readonly [Buffer | string, readonly (Buffer | string)[]]> = (
  reply,
): reply is readonly [Buffer, readonly Buffer[]] =>
  Array.isArray(reply) &&
  reply.length === 2 &&
  isText(reply[0]) &&
  Array.isArray(reply[1]) &&
  reply[1].every(isText);

/** Bytes that no server of this kind sends. */
export class NotResp extends Error {
  readonly first: number;

  constructor(first: number) {
    super(`an answer begins with ${JSON.stringify(String.fromCharCode(first))}`);
    this.first = first;
  }
}

/** The most bytes of an answer. A document has 64 KiB, and a list of a thousand keys some 300 KiB. */
const BYTES_LIMIT = 16 * 1024 * 1024;
const DEPTH_LIMIT = 8;
const NEWLINE = 0x0a;

/** A command as the server reads it: a list of texts, each with its length. */
export function writeCommand(parts: readonly string[]): Buffer {
  const texts = parts.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`);
  return Buffer.from(`*${parts.length}\r\n${texts.join("")}`);
}

/** Thrown inside the reader while the rest of a reply is still on its way. */
const INCOMPLETE = Symbol("incomplete");

/** Collects bytes, however they were cut, and gives back whole replies. */
export class RespReader {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  /** With fewer bytes than this no reply is whole: so a long text is not looked at with every packet. */
  #needed = 0;

  push(chunk: Buffer): Reply[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    const replies: Reply[] = [];
    while (this.#bytes.length > 0 && this.#bytes.length >= this.#needed) {
      this.#at = 0;
      this.#needed = 0;
      try {
        replies.push(this.#reply(0));
      } catch (error) {
        if (error !== INCOMPLETE) throw error;
        if (this.#bytes.length > BYTES_LIMIT) throw new NotResp(this.#bytes[0] as number);
        break;
      }
      this.#bytes = this.#bytes.subarray(this.#at);
    }
    return replies;
  }

  #reply(depth: number): Reply {
    const kind = this.#bytes[this.#at] as number;
    if (this.#at >= this.#bytes.length) throw INCOMPLETE;
    if (depth > DEPTH_LIMIT || !KINDS.has(kind)) throw new NotResp(kind);
    this.#at++;
    const line = this.#line();
    switch (String.fromCharCode(kind)) {
      case "+":
      case "(":
        return line;
      case ",":
        return Number(line);
      case "-":
        return new RedisError(line);
      case ":":
        return count(line, kind);
      case "#":
        return line === "t";
      case "_":
        return null;
      case "$":
        return this.#text(line, kind);
      case "!":
        return new RedisError(String(this.#text(line, kind)));
      case "=":
        // The text follows three letters of its kind and a colon.
        return this.#text(line, kind)?.subarray(4) ?? null;
      case "%":
        return this.#list(2 * count(line, kind), depth);
      case ">":
        return new Push(this.#list(count(line, kind), depth));
      default:
        return line === "-1" ? null : this.#list(count(line, kind), depth);
    }
  }

  #line(): string {
    const end = this.#bytes.indexOf(NEWLINE, this.#at);
    if (end === -1) throw INCOMPLETE;
    const line = this.#bytes.toString("utf8", this.#at, end - 1);
    this.#at = end + 1;
    return line;
  }

  #text(line: string, kind: number): Buffer | null {
    if (line === "-1") return null;
    const end = this.#at + count(line, kind);
    if (end > BYTES_LIMIT) throw new NotResp(kind);
    if (end + 2 > this.#bytes.length) {
      this.#needed = end + 2;
      throw INCOMPLETE;
    }
    const text = Buffer.from(this.#bytes.subarray(this.#at, end));
    this.#at = end + 2;
    return text;
  }

  #list(length: number, depth: number): Reply[] {
    const replies: Reply[] = [];
    while (replies.length < length) replies.push(this.#reply(depth + 1));
    return replies;
  }
}

const KINDS = new Set([..."+-:#_$!=%>*~,("].map((letter) => letter.charCodeAt(0)));

function count(line: string, kind: number): number {
  if (!/^-?\d{1,15}$/.test(line)) throw new NotResp(kind);
  return Number(line);
}
