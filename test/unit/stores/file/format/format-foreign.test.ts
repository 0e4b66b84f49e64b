import { describe, expect, test } from "vitest";
import {
  LOCK_FILE_BYTES_LIMIT,
  parseLock,
  writeLock,
} from "../../../../../src/stores/file/format/format.ts";
import { EXAMPLE } from "../../../../helpers/file/records.ts";

const parse = (text: string) => parseLock(Buffer.from(text, "utf8"));

describe("files of other tools", () => {
  test.each([
    [
      "as the sema spec shows",
      "pid=12345\ntimestamp=1703520000\ntag=deploy-v1.2.3\n",
      "deploy-v1.2.3",
    ],
    ["without a tag", "pid=12345\ntimestamp=1703520000\n", null],
    ["without a last newline", "pid=12345\ntimestamp=1703520000", null],
    ["in another order", "tag=x\ntimestamp=1703520000\npid=12345\n", "x"],
    ["with an empty tag", "pid=12345\ntimestamp=1703520000\ntag=\n", null],
    [
      "with a terminal sequence in the tag",
      "pid=12345\ntimestamp=1703520000\ntag=\u001b[2J",
      "[2J",
    ],
    ["that only claim to be ours", "pid=12345\ntimestamp=1703520000\nholdfast=1\nfence=9\n", null],
  ])("sema, %s", (_, content, tag) => {
    expect(parse(content)).toEqual({
      kind: "sema",
      pid: 12345,
      timestamp: 1703520000,
      tag,
    });
  });

  test("the lock policy's JSON, enhanced and old", () => {
    const since = "2025-10-23T14:30:00.000Z";
    const metadata = { hostname: "h", process_id: 12345, environment: "local" };
    expect(
      parse(JSON.stringify({ owner: "pid-1@h", since, ttl: 3_600, metadata }, null, 2)),
    ).toEqual({
      kind: "policy",
      legacy: false,
      owner: "pid-1@h",
      since: Date.parse(since),
      ttl: 3_600,
      metadata,
    });
    expect(parse('{"owner":"12345","since":1761229800000,"ttl":60}')).toEqual({
      kind: "policy",
      legacy: true,
      owner: "12345",
      since: 1_761_229_800_000,
      ttl: 60,
      metadata: {},
    });
    expect(parse('{"owner":12345,"since":1761229800000,"ttl":60}')).toMatchObject({
      owner: "12345",
    });
  });

  test.each([
    ["", "empty"],
    [" \n\t\n", "empty"],
    ["timestamp=1\n", "pid"],
    ["pid=1\n", "timestamp"],
    ["pid=x\ntimestamp=1\n", "pid"],
    ["pid=12x\ntimestamp=1\n", "pid"],
    ["pid=-1\ntimestamp=1\n", "pid"],
    ["pid=1\ntimestamp=1.5\n", "timestamp"],
    ["pid=1\ntimestamp=99999999999999999\n", "timestamp"],
    ["pid=1\0\ntimestamp=1\n", "NUL"],
    ["hello world", "pid"],
    ["{", "JSON"],
    ['{"owner":"x"}', "since"],
    ['{"since":1,"ttl":1}', "owner"],
    ['{"owner":"","since":1,"ttl":1}', "owner"],
    ['{"owner":{"id":1},"since":1,"ttl":1}', "owner"],
    ['{"owner":"x","since":"yesterday","ttl":1}', "since"],
    ['{"owner":"x","since":1e300,"ttl":1}', "since"],
    ['{"owner":"x","since":1,"ttl":"1"}', "ttl"],
    ['{"owner":"x","since":1,"ttl":-1}', "ttl"],
    ["[1]", "pid"],
  ])("%j is unreadable, and says that it is because of: %s", (content, why) => {
    const record = parse(content);
    expect(record.kind).toBe("unreadable");
    if (record.kind === "unreadable") expect(record.problem).toContain(why);
  });

  test("bytes that are not UTF-8 and files that are too large are unreadable", () => {
    expect(parseLock(Buffer.from([0x70, 0x69, 0x64, 0x3d, 0xff, 0xfe]))).toMatchObject({
      problem: expect.stringContaining("UTF-8"),
    });
    expect(parse(`pid=1\ntimestamp=1\n${"\n".repeat(LOCK_FILE_BYTES_LIMIT)}`)).toMatchObject({
      problem: expect.stringContaining("too large"),
    });
  });

  test("a lock that claims a million slots is not taken at its word", () => {
    const content = writeLock(EXAMPLE).replace("slots=1\n", "slots=1000000\n");
    expect(parse(content).kind).toBe("sema");
  });
});
