import { describe, expect, it } from "vitest";
import {
  NotResp,
  Push,
  RedisError,
  RespReader,
  writeCommand,
} from "../../../../../src/stores/engines/redis/resp.ts";

const STREAM = [
  "+OK\r\n",
  "$5\r\nhä\r\n!\r\n".replace("$5", "$6"),
  "$-1\r\n",
  "_\r\n",
  ":-12\r\n",
  ",1.5\r\n",
  "#t\r\n",
  "-WRONGPASS no\r\n",
  "!9\r\nERR a\r\nbc\r\n",
  "=8\r\ntxt:ab\r\n\r\n",
  "(123456789012345678901234567890\r\n",
  "*2\r\n$1\r\na\r\n*-1\r\n",
  "~1\r\n:7\r\n",
  "%1\r\n$5\r\nproto\r\n:3\r\n",
  ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nv1\r\n",
].join("");

const REPLIES = [
  "OK",
  Buffer.from("hä\r\n!"),
  null,
  null,
  -12,
  1.5,
  true,
  new RedisError("WRONGPASS no"),
  new RedisError("ERR a\r\nbc"),
  Buffer.from("ab\r\n"),
  "123456789012345678901234567890",
  [Buffer.from("a"), null],
  [7],
  [Buffer.from("proto"), 3],
  new Push([Buffer.from("message"), Buffer.from("c"), Buffer.from("v1")]),
];

describe("Redis' protocol", () => {
  it("is read whole", () => {
    expect(new RespReader().push(Buffer.from(STREAM))).toEqual(REPLIES);
  });

  it("is read the same wherever the stream is cut", () => {
    const bytes = Buffer.from(STREAM);
    for (let cut = 1; cut < bytes.length; cut++) {
      const reader = new RespReader();
      const replies = [bytes.subarray(0, cut), bytes.subarray(cut)].flatMap((part) =>
        reader.push(part),
      );
      expect(replies, `cut at ${cut}`).toEqual(REPLIES);
    }
    const reader = new RespReader();
    expect([...bytes].flatMap((byte) => reader.push(Buffer.of(byte)))).toEqual(REPLIES);
  });

  it.each([
    ["another protocol", "HTTP/1.1 400 Bad Request\r\n"],
    ["an alert of TLS", "\x15\x03\x03\x00\x02"],
    ["a length that is none", "$x\r\n"],
    ["a text without end", `$${2 ** 40}\r\nabc`],
    ["lists in lists without end", "*1\r\n".repeat(100)],
  ])("is not %s", (_, text) => {
    expect(() => new RespReader().push(Buffer.from(text, "latin1"))).toThrow(NotResp);
  });

  it("has commands as lists of texts with their lengths in bytes", () => {
    expect(String(writeCommand(["GET", "schlüssel"]))).toBe(
      "*2\r\n$3\r\nGET\r\n$10\r\nschlüssel\r\n",
    );
  });
});
