import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLockError } from "../../../src/lock/errors.ts";
import {
  acquireRequest,
  authRequest,
  enqueueRequest,
  formatRequest,
  LINE_LIMIT,
  type Request,
  releaseRequest,
  renewRequest,
  statsRequest,
  waitRequest,
} from "../../../src/wire/request.ts";
import { RequestReader } from "../../../src/wire/request-reader.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

function readAll(...chunks: (string | Buffer)[]): { requests: Request[]; code: number | null } {
  const reader = new RequestReader();
  const requests: Request[] = [];
  for (const chunk of chunks) {
    reader.push(Buffer.from(chunk as string));
    for (let request = reader.next(); request !== null; request = reader.next()) {
      requests.push(request);
    }
  }
  return { requests, code: reader.violation?.code ?? null };
}

/** Each command in each of its forms, and the lines it is. */
const FORMS: [string, Request][] = [
  ["auth\n_\nsecret word\n", authRequest("secret word")],
  ["stats\n_\n\n", statsRequest()],
  ["stats\nany thing\nat all\n", statsRequest("any thing", "at all")],
  ["l\nk\n10\n", acquireRequest({ key: "k", timeout: 10 })],
  ["l\nk\n0 60\n", acquireRequest({ key: "k", timeout: 0, lease: 60 })],
  ["e\nk\n\n", enqueueRequest({ key: "k" })],
  ["e\nk\n60\n", enqueueRequest({ key: "k", lease: 60 })],
  ["w\nk\n0\n", waitRequest({ key: "k", timeout: 0 })],
  [`r\nk\n${TOKEN}\n`, releaseRequest({ key: "k", token: TOKEN })],
  [`n\nk\n${TOKEN}\n`, renewRequest({ key: "k", token: TOKEN })],
  [`n\nk\n${TOKEN} 60\n`, renewRequest({ key: "k", token: TOKEN, lease: 60 })],
  ["sl\nk\n10 3\n", acquireRequest({ key: "k", timeout: 10, limit: 3 })],
  ["sl\nk\n10 3 60\n", acquireRequest({ key: "k", timeout: 10, limit: 3, lease: 60 })],
  ["se\nk\n3\n", enqueueRequest({ key: "k", limit: 3 })],
  ["se\nk\n3 60\n", enqueueRequest({ key: "k", limit: 3, lease: 60 })],
  ["sw\nk\n5\n", waitRequest({ key: "k", timeout: 5, limit: 3 })],
  [`sr\nk\n${TOKEN}\n`, releaseRequest({ key: "k", token: TOKEN, limit: 3 })],
  [`sn\nk\n${TOKEN} 60\n`, renewRequest({ key: "k", token: TOKEN, limit: 3, lease: 60 })],
];

/** `limit` is on the wire only where a semaphore is made. */
function asRead(request: Request): Request {
  const carried = request.command === "sl" || request.command === "se";
  return carried || request.limit === 0 ? request : { ...request, limit: 1 };
}

describe("a request", () => {
  it.each(FORMS)("is written as %j and read back", (lines, request) => {
    expect(formatRequest(request)).toBe(lines);
    expect(readAll(lines)).toEqual({ requests: [asRead(request)], code: null });
  });

  it("is read the same when cut at every byte, and with carriage returns", () => {
    for (const [lines, request] of FORMS) {
      for (const text of [lines, lines.replaceAll("\n", "\r\n")]) {
        for (let cut = 0; cut <= text.length; cut += 1) {
          expect(readAll(text.slice(0, cut), text.slice(cut)).requests).toEqual([asRead(request)]);
        }
      }
    }
  });

  it("is read the same when many are glued together and come byte by byte", () => {
    const all = FORMS.map(([lines]) => lines).join("");
    const expected = FORMS.map(([, request]) => asRead(request));
    expect(readAll(all).requests).toEqual(expected);
    expect(readAll(...[...Buffer.from(all)].map((byte) => Buffer.of(byte))).requests).toEqual(
      expected,
    );
  });

  it("takes keys in any script, and cuts inside a character do no harm", () => {
    const bytes = Buffer.from(formatRequest(acquireRequest({ key: "größe/☃/🚀", timeout: 1 })));
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { requests } = readAll(bytes.subarray(0, cut), bytes.subarray(cut));
      expect(requests.map((request) => request.key)).toEqual(["größe/☃/🚀"]);
    }
  });

  it("takes numbers with a sign and any white space between them", () => {
    const { requests } = readAll("sl\nk\n  +5\t 3 \v+60 \n");
    expect(requests).toEqual([acquireRequest({ key: "k", timeout: 5, limit: 3, lease: 60 })]);
  });

  it("cuts numbers beyond what a double holds, and refuses what is longer than 64 bits", () => {
    expect(readAll("l\nk\n9223372036854775807\n").requests[0]?.timeout).toBe(
      Number.MAX_SAFE_INTEGER,
    );
    expect(readAll("l\nk\n99999999999999999999\n").code).toBe(4);
  });

  it("leaves the bytes of the next request alone", () => {
    const reader = new RequestReader();
    reader.push(Buffer.from("l\nk\n1\nl\nk"));
    expect(reader.next()?.key).toBe("k");
    expect(reader.next()).toBeNull();
    expect(reader.buffered).toBe(3);
  });
});

describe("every row of the error table", () => {
  it.each([
    [3, "x\nk\n1\n"],
    [3, "\nk\n1\n"],
    [3, "lock\nk\n1\n"],
    [3, "L\nk\n1\n"],
    [3, "sx\nk\n1\n"],
    [3, "xl\nk\n1\n"],
    [3, "l \nk\n1\n"],
    [3, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"],
    [4, "l\nk\nten\n"],
    [4, "l\nk\n1.5\n"],
    [4, "l\nk\n-\n"],
    [4, "l\nk\n1 x\n"],
    [4, "w\nk\n0x1\n"],
    [4, "e\nk\n1e3\n"],
    [4, "sl\nk\n1 x\n"],
    [4, "se\nk\nx\n"],
    [4, `n\nk\n${TOKEN} x\n`],
    [5, "l\n\n1\n"],
    [5, "l\na b\n1\n"],
    [5, "l\na\tb\n1\n"],
    [5, "l\na\rb\n1\n"],
    [5, "l\n\r\r\n1\n"],
    [6, "l\nk\n-1\n"],
    [6, "w\nk\n-1\n"],
    [6, "sl\nk\n-1 3\n"],
    [7, "r\nk\n\n"],
    [7, "r\nk\n \n"],
    [7, "n\nk\n\n"],
    [7, "sr\nk\n\n"],
    [7, "sn\nk\n\n"],
    [8, "l\nk\n\n"],
    [8, "l\nk\n1 2 3\n"],
    [8, "e\nk\n1 2\n"],
    [8, "w\nk\n\n"],
    [8, "w\nk\n1 2\n"],
    [8, "sl\nk\n1\n"],
    [8, "sl\nk\n1 2 3 4\n"],
    [8, "sl\nk\n1 2 3 4 5 6 7\n"],
    [8, "se\nk\n\n"],
    [8, "se\nk\n1 2 3\n"],
    [8, "r\nk\na b\n"],
    [8, "n\nk\na 1 2\n"],
    [9, "l\nk\n1 0\n"],
    [9, "l\nk\n1 -5\n"],
    [9, "e\nk\n0\n"],
    [9, `n\nk\n${TOKEN} 0\n`],
    [9, "sl\nk\n1 3 0\n"],
    [9, "se\nk\n3 -1\n"],
    [12, "x".repeat(LINE_LIMIT + 1)],
    [12, `l\n${"k".repeat(LINE_LIMIT + 1)}\n1\n`],
    [12, `l\nk\n${" ".repeat(LINE_LIMIT + 1)}`],
    [12, `l\nk\n${"1".repeat(LINE_LIMIT)}\r\n`],
    [13, "sl\nk\n1 0\n"],
    [13, "sl\nk\n1 -1\n"],
    [13, "se\nk\n0\n"],
  ])("%i for %j", (code, text) => {
    expect(readAll(text)).toEqual({ requests: [], code });
    const middle = Math.floor(text.length / 2);
    expect(readAll(text.slice(0, middle), text.slice(middle)).code).toBe(code);
  });

  it("refuses a key of invalid UTF-8, which would fall together with another", () => {
    expect(readAll(Buffer.from("6c0a6bff0a310a", "hex")).code).toBe(5);
  });

  it("reads nothing after a violation, and what stood before it is still there", () => {
    const { requests, code } = readAll("l\na\n1\nx\nk\n1\nl\nb\n1\n");
    expect(requests.map((request) => request.key)).toEqual(["a"]);
    expect(code).toBe(3);
  });

  it("takes a line of exactly the limit", () => {
    const key = "k".repeat(LINE_LIMIT);
    expect(readAll(`l\n${key}\n1\n`).requests[0]?.key).toBe(key);
  });
});

describe("what cannot be sent", () => {
  it.each([
    ["BAD_KEY", acquireRequest({ key: "", timeout: 1 })],
    ["BAD_KEY", acquireRequest({ key: "a b", timeout: 1 })],
    ["BAD_KEY", acquireRequest({ key: "a\nr", timeout: 1 })],
    ["BAD_KEY", acquireRequest({ key: "k".repeat(257), timeout: 1 })],
    ["BAD_OPTION", authRequest("a\nb")],
    ["BAD_OPTION", authRequest("a".repeat(257))],
    ["BAD_OPTION", statsRequest("_", "a\nb")],
  ] as const)("is refused with %s before a byte is written", (code, request) => {
    let thrown: unknown;
    try {
      formatRequest(request);
    } catch (error) {
      thrown = error;
    }
    expect(isLockError(thrown, code)).toBe(true);
  });

  it("names no secret in the refusal", () => {
    expect(() => formatRequest(authRequest(`secret\n${"a".repeat(300)}`))).toThrow(
      /^(?!.*secret).*line break/,
    );
  });
});

it("any bytes in any pieces give the same requests and the same end", () => {
  const piece = fc.oneof(
    fc.constantFrom(...FORMS.map(([lines]) => lines)),
    fc.string({ maxLength: 20, unit: "binary" }),
    fc.constantFrom("\n", "\r\n", "\n\n\n", "l\n", "k\n", "5\n"),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(40)), (pieces, cuts) => {
      const bytes = Buffer.from(pieces.join(""));
      const chunks: Buffer[] = [];
      let position = 0;
      for (const size of cuts) {
        chunks.push(bytes.subarray(position, position + size));
        position += size;
      }
      chunks.push(bytes.subarray(Math.min(position, bytes.length)));
      expect(readAll(...chunks)).toEqual(readAll(bytes));
    }),
    { numRuns: 2_000 },
  );
});
