import { type NewState, NO_ID, readPack, readState, type State, writePack } from "./objects.ts";
import {
  DELIMITER,
  FLUSH,
  lineOf,
  NotState,
  type Packet,
  ProtocolError,
  packet,
  readBands,
  readPackets,
  Truncated,
} from "./pkt-line.ts";

/** The requests to a git server and its answers, as bytes: pure, without a connection. */

/** An answer to a push. Unless it is "ok", nothing of the ref has changed. */
export type Report =
  | { readonly kind: "ok" }
  | { readonly kind: "ng"; readonly reason: string; readonly words: string };

/** What the server itself said in place of an answer (`ERR`, or the third band). */
export class ServerSaid extends ProtocolError {}

/** Moves `ref` from `old` (null: it is not there) to a new state, or leaves it where it is. */
export function pushRequest(ref: string, old: string | null, next: NewState | null): Buffer {
  const to = next?.id ?? old;
  // A push of nothing to nothing would be a deletion, which git carries out whatever is there.
  if (to === null) throw new ProtocolError("a push of nothing");
  const command = `${old ?? NO_ID} ${to} ${ref}\0 report-status side-band-64k agent=holdfast`;
  // C git knows the empty tree without having it; others may not, and it is nine bytes.
  const objects =
    next === null
      ? []
      : ([
          { type: "commit", content: next.content },
          { type: "tree", content: Buffer.alloc(0) },
        ] as const);
  return Buffer.concat([packet(command), FLUSH, writePack(objects)]);
}

/** Throws if the report is not whole: then nobody knows what became of the push. */
export function readReport(bytes: Buffer, ref: string): Report {
  const { data, words, fatal } = readBands(checked(readPackets(bytes)));
  if (fatal !== null) throw new ServerSaid(fatal);
  const packets = readPackets(data);
  if (packets.at(-1) !== "flush") throw new Truncated("a report without its end");
  const lines = textLines(packets);
  const unpack = /^unpack (.*)$/.exec(lines[0] ?? "")?.[1];
  if (unpack === undefined) throw new ProtocolError("a report without its first line");
  for (const line of lines.slice(1)) {
    if (line === `ok ${ref}` && unpack === "ok") return { kind: "ok" };
    if (line.startsWith(`ng ${ref} `)) {
      const reason = line.slice(`ng ${ref} `.length);
      return { kind: "ng", reason: unpack === "ok" ? reason : `${reason} (${unpack})`, words };
    }
  }
  if (unpack !== "ok") return { kind: "ng", reason: `unpacker error (${unpack})`, words };
  throw new ProtocolError("a report without the ref");
}

/** `format`: the kind of ids, if it is not SHA-1. Servers before git 2.28 do not know the word. */
export function listRequest(prefix: string, format?: "sha256"): Buffer {
  return Buffer.concat([
    packet("command=ls-refs\n"),
    packet("agent=holdfast\n"),
    ...(format === undefined ? [] : [packet(`object-format=${format}\n`)]),
    DELIMITER,
    packet(`ref-prefix ${prefix}\n`),
    FLUSH,
  ]);
}

/** Refs and their ids. */
export function readList(bytes: Buffer): Map<string, string> {
  const packets = checked(readPackets(bytes));
  if (packets.at(-1) !== "flush") throw new Truncated("a list without its end");
  const refs = new Map<string, string>();
  for (const line of textLines(packets)) {
    const [id = "", ref = ""] = line.split(" ");
    if (!/^[0-9a-f]{40}([0-9a-f]{24})?$/.test(id) || ref === "") {
      throw new ProtocolError("a list of something else than refs");
    }
    refs.set(ref, id);
  }
  return refs;
}

/** One commit without its ancestors. */
export function fetchRequest(id: string): Buffer {
  const wishes = ["no-progress", "ofs-delta", "deepen 1", `want ${id}`, "done"];
  return Buffer.concat([
    packet("command=fetch\n"),
    packet("agent=holdfast\n"),
    DELIMITER,
    ...wishes.map((wish) => packet(`${wish}\n`)),
    FLUSH,
  ]);
}

export function readCommit(bytes: Buffer, id: string): State {
  const packets = checked(readPackets(bytes));
  const start = packets.findIndex((each) => isLine(each, "packfile"));
  if (start === -1) throw new Truncated("an answer without a pack");
  const { data, fatal } = readBands(packets.slice(start + 1));
  if (fatal !== null) throw new ServerSaid(fatal);
  const objects = readPack(data);
  const commits = objects.filter(({ type }) => type === "commit");
  if (commits.length === 0) throw new NotState(`a ${objects[0]?.type ?? "ref to nothing"}`);
  if (commits.length > 1) throw new ProtocolError(`${commits.length} commits instead of one`);
  return readState(id, (commits[0] as { content: Buffer }).content);
}

/** A server that cannot go on says so in a packet of its own, in place of an answer. */
function checked(packets: readonly Packet[]): readonly Packet[] {
  const first = packets[0];
  if (first !== undefined && typeof first !== "string") {
    const said = /^ERR (.*)$/s.exec(lineOf(first))?.[1];
    if (said !== undefined) throw new ServerSaid(said);
  }
  return packets;
}

function textLines(packets: readonly Packet[]): string[] {
  return packets.flatMap((each) => (typeof each === "string" ? [] : [lineOf(each)]));
}

function isLine(each: Packet, text: string): boolean {
  return typeof each !== "string" && lineOf(each) === text;
}
