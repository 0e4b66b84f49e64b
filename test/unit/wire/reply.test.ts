import { describe, expect, it } from "vitest";
import { LineReader } from "../../../src/wire/line-reader.ts";
import {
  acquiredLine,
  errorLine,
  grantedLine,
  OK_LINE,
  parseReply,
  QUEUED_LINE,
  type Reply,
  renewedLine,
  statsLine,
  TIMEOUT_LINE,
} from "../../../src/wire/reply.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

const REPLIES: [string, Reply][] = [
  ["ok", { kind: "ok" }],
  [`ok ${TOKEN} 33`, { kind: "granted", token: TOKEN, lease: 33 }],
  [`acquired ${TOKEN} 33`, { kind: "acquired", token: TOKEN, lease: 33 }],
  ["ok 33", { kind: "renewed", lease: 33 }],
  ['ok {"connections":1}', { kind: "stats", json: '{"connections":1}' }],
  ["queued", { kind: "queued" }],
  ["timeout", { kind: "timeout" }],
  ["error", { kind: "error", word: "error" }],
  ["error_auth", { kind: "error", word: "error_auth" }],
  ["error_max_locks", { kind: "error", word: "error_max_locks" }],
  ["error_max_waiters", { kind: "error", word: "error_max_waiters" }],
  ["error_limit_mismatch", { kind: "error", word: "error_limit_mismatch" }],
  ["error_not_enqueued", { kind: "error", word: "error_not_enqueued" }],
  ["error_of_a_later_version", { kind: "error", word: "error_of_a_later_version" }],
];

describe("a reply", () => {
  it.each(REPLIES)("%j is read", (line, reply) => {
    expect(parseReply(line)).toEqual(reply);
  });

  it("of ours is one of these lines", () => {
    const ours = [
      OK_LINE,
      grantedLine(TOKEN, 33),
      acquiredLine(TOKEN, 33),
      renewedLine(33),
      statsLine('{"connections":1}'),
      QUEUED_LINE,
      TIMEOUT_LINE,
      errorLine("error"),
      errorLine("error_auth"),
      errorLine("error_max_locks"),
      errorLine("error_max_waiters"),
      errorLine("error_limit_mismatch"),
    ];
    expect(ours).toEqual(REPLIES.slice(0, ours.length).map(([line]) => `${line}\n`));
  });

  it.each([
    "",
    "OK",
    "ok  33",
    "ok 1.5",
    "ok a b c",
    "HTTP/1.1 400 Bad Request",
    "SSH-2.0-x",
    "errors",
  ])("%j is no reply of this protocol", (line) => {
    expect(parseReply(line)).toEqual({ kind: "unknown", line });
  });

  it("to a renewal is never 0 seconds", () => {
    expect(renewedLine(0)).toBe("ok 1\n");
  });
});

describe("reply lines", () => {
  function read(chunks: Buffer[], limit?: number): { lines: string[]; tooLong: boolean } {
    const reader = new LineReader(limit);
    const lines: string[] = [];
    for (const chunk of chunks) {
      reader.push(chunk);
      for (let line = reader.next(); line !== null; line = reader.next()) lines.push(line);
    }
    return { lines, tooLong: reader.tooLong };
  }

  it("come whole from bytes that are cut anywhere, or glued together", () => {
    const expected = ["ok", 'ok {"key":"größe ☃"}', "", "timeout"];
    const bytes = Buffer.from(`ok\nok {"key":"größe ☃"}\r\n\ntimeout\n`);
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { lines } = read([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(lines).toEqual(expected);
    }
    expect(read([...bytes].map((byte) => Buffer.of(byte))).lines).toEqual(expected);
  });

  it("beyond the limit are not kept in memory, with or without their end", () => {
    expect(read([Buffer.from("ok\n12345678\n")], 8)).toEqual({
      lines: ["ok", "12345678"],
      tooLong: false,
    });
    expect(read([Buffer.from("ok\n123456789\nok\n")], 8)).toEqual({ lines: ["ok"], tooLong: true });
    expect(read([Buffer.from("12345"), Buffer.from("6789")], 8).tooLong).toBe(true);
  });
});
