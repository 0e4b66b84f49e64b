import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  readCommit,
  readList,
  readReport,
} from "../../../../../src/stores/engines/git/protocol/messages.ts";
import {
  CHAIN_LIMIT,
  DOCUMENT_BYTES_LIMIT,
  nextState,
  objectId,
  readPack,
  readState,
  writePack,
} from "../../../../../src/stores/engines/git/protocol/objects.ts";
import {
  DELIMITER,
  FLUSH,
  ProtocolError,
  packet,
  readPackets,
} from "../../../../../src/stores/engines/git/protocol/pkt-line.ts";

const REF = "refs/holdfast/v1/production";
const ID = "0123456789abcdef0123456789abcdef01234567";

/** What an answer gives when its stream ends after each of its bytes but the last. */
function cuts<T>(bytes: Buffer, read: (part: Buffer) => T): T[] {
  const results: T[] = [];
  for (let end = 0; end < bytes.length; end++) {
    try {
      results.push(read(bytes.subarray(0, end)));
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
    }
  }
  return results;
}

function band(number: number, content: string | Buffer): Buffer {
  return packet(Buffer.concat([Buffer.from([number]), Buffer.from(content)]));
}

describe("pkt-line", () => {
  it("reads back what it wrote, whatever the bytes", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (contents) => {
        const written = Buffer.concat([
          ...contents.map((content) => packet(Buffer.from(content))),
          DELIMITER,
          FLUSH,
        ]);
        expect(readPackets(written)).toEqual([
          ...contents.map((content) => Buffer.from(content)),
          "delimiter",
          "flush",
        ]);
      }),
    );
  });

  it("never reads a packet that was cut", () => {
    const whole = Buffer.concat([packet("one"), packet("two\n"), FLUSH]);
    const boundaries = [0, 7, 15];
    for (let end = 0; end < whole.length; end++) {
      const read = () => readPackets(whole.subarray(0, end));
      if (boundaries.includes(end)) expect(read().length).toBe(boundaries.indexOf(end));
      else expect(read).toThrow(ProtocolError);
    }
  });

  it.each(["zzzz", "0003", "<html>"])("refuses %s as a length", (text) => {
    expect(() => readPackets(Buffer.from(text))).toThrow(ProtocolError);
  });

  it("answers arbitrary bytes with packets or a protocol error", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        try {
          readPackets(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }),
    );
  });
});

describe("the report of a push", () => {
  const report = (...lines: string[]) =>
    Buffer.concat([...lines.map((line) => packet(line)), FLUSH]);
  const answer = (...lines: string[]) => Buffer.concat([band(1, report(...lines)), FLUSH]);

  it("says that the ref stands", () => {
    expect(readReport(answer("unpack ok\n", `ok ${REF}\n`), REF)).toEqual({ kind: "ok" });
  });

  it("says why not, with the words for people", () => {
    const bytes = Buffer.concat([
      band(2, "remote: no\n"),
      band(1, report("unpack ok\n", `ng ${REF} failed to update ref\n`)),
      FLUSH,
    ]);
    expect(readReport(bytes, REF)).toEqual({
      kind: "ng",
      reason: "failed to update ref",
      words: "remote: no\n",
    });
  });

  it("is not ok where the pack was not unpacked", () => {
    expect(readReport(answer("unpack index-pack failed\n", `ok ${REF}\n`), REF)).toMatchObject({
      kind: "ng",
      reason: expect.stringContaining("index-pack failed"),
    });
  });

  it("is put together from several packets", () => {
    const inner = report("unpack ok\n", `ok ${REF}\n`);
    const parts = [...inner].map((byte) => band(1, Buffer.from([byte])));
    expect(readReport(Buffer.concat([...parts, FLUSH]), REF)).toEqual({ kind: "ok" });
  });

  it("is the same or unknown wherever the stream is cut", () => {
    const whole = answer("unpack ok\n", `ok ${REF}\n`);
    // Only the outer flush, after the whole report, may be missing.
    expect(cuts(whole, (part) => readReport(part, REF))).toEqual([{ kind: "ok" }]);
    const refused = answer("unpack ok\n", `ng ${REF} stale\n`);
    expect(cuts(refused, (part) => readReport(part, REF)).map(({ kind }) => kind)).toEqual(["ng"]);
  });

  it("does not take another ref's line for its own", () => {
    expect(() => readReport(answer("unpack ok\n", `ok ${REF}2\n`), REF)).toThrow(ProtocolError);
    expect(() => readReport(answer("unpack ok\n", `ng ${REF}2 no\n`), REF)).toThrow(ProtocolError);
  });

  it("tells what a server says that gave up", () => {
    expect(() => readReport(packet("ERR no such repository\n"), REF)).toThrow("no such repository");
    const fatal = Buffer.concat([band(3, "out of disk\n"), FLUSH]);
    expect(() => readReport(fatal, REF)).toThrow("out of disk");
  });
});

describe("a list of refs", () => {
  const whole = Buffer.concat([packet(`${ID} ${REF}\n`), packet(`${ID} ${REF}2\n`), FLUSH]);

  it("maps refs to ids", () => {
    expect([...readList(whole)]).toEqual([
      [REF, ID],
      [`${REF}2`, ID],
    ]);
    expect(readList(FLUSH).size).toBe(0);
  });

  it("is nothing where it was cut: a missing line is not a missing ref", () => {
    expect(cuts(whole, readList)).toEqual([]);
    expect(() => readList(Buffer.alloc(0))).toThrow(ProtocolError);
  });

  it("refuses other lines", () => {
    expect(() => readList(Buffer.concat([packet("hello\n"), FLUSH]))).toThrow(ProtocolError);
  });
});

describe("packs and commits", () => {
  const tree = { type: "tree", content: Buffer.alloc(0) } as const;

  it("reads back objects of any size", () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 5_000 }), { maxLength: 5 }), (contents) => {
        const objects = contents.map((content) => ({
          type: "blob" as const,
          content: Buffer.from(content),
        }));
        expect(readPack(writePack(objects))).toEqual(objects);
      }),
    );
    const large = {
      type: "commit",
      content: Buffer.alloc(DOCUMENT_BYTES_LIMIT + 400, "x"),
    } as const;
    expect(readPack(writePack([large, tree]))).toEqual([large, tree]);
  });

  it("keeps the text of a state exactly", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 2_000 }), (text) => {
        fc.pre(text.isWellFormed());
        const { id, content } = nextState({ id: ID, place: 3 }, text);
        expect(readState(id, content)).toEqual({ id, text, place: 4 });
      }),
    );
  });

  it("makes another commit of the same text", () => {
    expect(nextState(null, "{}").id).not.toBe(nextState(null, "{}").id);
  });

  it("cuts the chain after its hundredth state, and never where it must not", () => {
    const parents = (state: { content: Buffer }) => state.content.toString().match(/^parent /gm);
    let state = nextState(null, "1");
    expect(state.isCut).toBe(false);
    for (let place = 2; place <= CHAIN_LIMIT; place++) {
      state = nextState(state, String(place));
      expect([parents(state)?.length, state.place, state.isCut]).toEqual([1, place, false]);
    }
    const endless = nextState(state, "101", true);
    expect([parents(endless)?.length, endless.place, endless.isCut]).toEqual([1, 101, false]);
    const next = nextState(state, "101");
    expect([parents(next), next.place, next.isCut]).toEqual([null, 1, true]);
  });

  it("refuses a document that is too large", () => {
    nextState(null, "x".repeat(DOCUMENT_BYTES_LIMIT));
    expect(() => nextState(null, "x".repeat(DOCUMENT_BYTES_LIMIT + 1))).toThrow(
      expect.objectContaining({ code: "STORE_FULL" }),
    );
  });

  const state = nextState(null, '{"holders":[]}');
  const fetched = (pack: Buffer) =>
    Buffer.concat([
      packet("shallow-info\n"),
      packet(`shallow ${state.id}\n`),
      DELIMITER,
      packet("packfile\n"),
      band(2, "counting\n"),
      band(1, pack.subarray(0, 20)),
      band(1, pack.subarray(20)),
      FLUSH,
    ]);
  const whole = fetched(writePack([{ type: "commit", content: state.content }, tree]));

  it("reads a commit out of a fetch", () => {
    expect(readCommit(whole, state.id)).toMatchObject({ id: state.id, text: '{"holders":[]}' });
  });

  it("reads the whole commit or nothing wherever the stream is cut", () => {
    const read = cuts(whole, (part) => readCommit(part, state.id).text);
    expect(new Set(read)).toEqual(new Set(['{"holders":[]}']));
    // The pack has a sum of its own: only the flush behind it may be missing.
    expect(read).toHaveLength(1);
  });

  it("notices each changed byte of a pack", () => {
    const pack = writePack([{ type: "commit", content: state.content }, tree]);
    for (let at = 0; at < pack.length; at++) {
      const wrong = Buffer.from(pack);
      wrong[at] = (wrong[at] as number) ^ 0x20;
      expect(() => readCommit(fetched(wrong), state.id)).toThrow(ProtocolError);
    }
  });

  it("does not take another commit for the one that it asked for", () => {
    expect(() => readCommit(whole, ID)).toThrow("of another id");
  });

  it.each([6, 7])("says clearly that it reads no deltas (kind %i)", (kind) => {
    const pack = writePack([{ type: "blob", content: Buffer.alloc(3) }]);
    pack[12] = (kind << 4) | 3;
    expect(() => readPack(resummed(pack))).toThrow("deltas");
  });

  it("does not inflate more than an object says", () => {
    const bomb = deflateSync(Buffer.alloc(10_000_000));
    const head = Buffer.concat([Buffer.from("PACK"), Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 0x1f])]);
    const pack = Buffer.concat([head, bomb, Buffer.alloc(20)]);
    expect(() => readPack(resummed(pack))).toThrow("cannot be inflated");
    const endless = Buffer.concat([head.subarray(0, 12), Buffer.alloc(9, 0xff), Buffer.alloc(20)]);
    expect(() => readPack(resummed(endless))).toThrow("without end");
  });

  it("knows git's own ids", () => {
    expect(objectId("tree", Buffer.alloc(0))).toBe("4b825dc642cb6eb9a060e54bf8d69288fbee4904");
  });
});

/** The pack with a sum that is right, so that what is wrong inside comes to light. */
function resummed(pack: Buffer): Buffer {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const body = pack.subarray(0, -20);
  return Buffer.concat([body, createHash("sha1").update(body).digest()]);
}
