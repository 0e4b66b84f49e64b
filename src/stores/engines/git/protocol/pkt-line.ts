/**
 * The pkt-line framing of git's protocols: four hexadecimal digits of length, then the bytes.
 * It is pure, so that it can be tested by cutting an answer at every byte.
 */
export type Packet = Buffer | "flush" | "delimiter" | "end";

export const FLUSH = Buffer.from("0000");
export const DELIMITER = Buffer.from("0001");

const HEAD_BYTES = 4;
/** The longest packet that git itself sends or takes, with its head. */
const PACKET_BYTES_LIMIT = 65_520;

/** An answer that is not what git's protocol says. The caller says what that means. */
export class ProtocolError extends Error {}

/** A sound answer about something that is no state of a key: another tool's work, or somebody's mistake. */
export class NotState extends ProtocolError {}

/** An answer that ends too early: the server's program was stopped, or a gateway cut it. */
export class Truncated extends ProtocolError {}

export function packet(content: string | Buffer): Buffer {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const length = bytes.length + HEAD_BYTES;
  if (length > PACKET_BYTES_LIMIT) throw new ProtocolError(`a packet of ${length} bytes`);
  return Buffer.concat([Buffer.from(length.toString(16).padStart(HEAD_BYTES, "0")), bytes]);
}

/** The packets of a whole answer. Throws if the answer ends inside of a packet. */
export function readPackets(bytes: Buffer): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const head = bytes.toString("latin1", at, at + HEAD_BYTES);
    if (!/^[0-9a-fA-F]{4}$/.test(head)) throw new ProtocolError("no length where one should be");
    const length = Number.parseInt(head, 16);
    const special = SPECIAL[length];
    if (special !== undefined) {
      packets.push(special);
      at += HEAD_BYTES;
      continue;
    }
    if (length < HEAD_BYTES) throw new ProtocolError(`a packet of length ${length}`);
    if (at + length > bytes.length) throw new Truncated("the answer ends inside a packet");
    packets.push(bytes.subarray(at + HEAD_BYTES, at + length));
    at += length;
  }
  return packets;
}

const SPECIAL: Readonly<Record<number, "flush" | "delimiter" | "end">> = {
  0: "flush",
  1: "delimiter",
  2: "end",
};

/** A packet as a line of text, without the newline that git puts at its end. */
export function lineOf(content: Buffer): string {
  return content.toString("utf8").replace(/\n$/, "");
}

/** What a side-band carries: data, words for people, or the reason why the server gave up. */
export interface Bands {
  readonly data: Buffer;
  readonly words: string;
  readonly fatal: string | null;
}

/** Takes apart multiplexed packets up to a flush. */
export function readBands(packets: readonly Packet[]): Bands {
  const parts: [Buffer[], Buffer[], Buffer[]] = [[], [], []];
  for (const each of packets) {
    if (each === "flush") break;
    if (typeof each === "string") throw new ProtocolError(`a ${each} packet inside a side-band`);
    const band = parts[(each[0] ?? 0) - 1];
    if (band === undefined) throw new ProtocolError(`a side-band ${each[0] ?? "without a number"}`);
    band.push(each.subarray(1));
  }
  const [data, words, fatal] = parts;
  return {
    data: Buffer.concat(data),
    words: Buffer.concat(words).toString("utf8"),
    fatal: fatal.length === 0 ? null : Buffer.concat(fatal).toString("utf8").trim(),
  };
}
