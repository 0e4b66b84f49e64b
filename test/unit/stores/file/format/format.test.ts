import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  LOCK_FILE_BYTES_LIMIT,
  parseLock,
  writeLock,
} from "../../../../../src/stores/file/format/format.ts";
import type { LockRecord, OwnRecord } from "../../../../../src/stores/file/format/record.ts";
import { holderOf } from "../../../../../src/stores/file/protocol/inspect.ts";
import { judge, processesOf } from "../../../../../src/stores/file/protocol/judge.ts";
import { anyBytes, EXAMPLE, ownRecord } from "../../../../helpers/file/records.ts";
import { anyText, forgery } from "../../../lock/arbitraries.ts";

const parse = (text: string) => parseLock(Buffer.from(text, "utf8"));

const RULES = { staleTimeout: 3_600_000, staleRule: "both", hostname: "runner-3" } as const;

describe("any bytes", () => {
  test("are a record or unreadable with a reason, never an exception", () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const record = parseLock(bytes);
        expect(["holdfast", "sema", "policy", "unreadable"]).toContain(record.kind);
        if (record.kind === "unreadable") expect(record.problem).not.toBe("");
      }),
      { numRuns: 2_000 },
    );
  });

  test("can be judged and shown, whatever they say", () => {
    const answer = fc.constantFrom(true, false, null);
    fc.assert(
      fc.property(anyBytes, fc.array(answer), (bytes, alive) => {
        const record = parseLock(bytes);
        const evidence = {
          now: Date.now(),
          fileNow: Date.now(),
          monotonic: 5_000,
          modified: Date.now(),
          alive,
          beatSeen: 4_000,
          refreshSeen: 4_000,
          runAlive: null,
        };
        const verdict = judge(record, evidence, RULES);
        expect(processesOf(record, RULES).length).toBeLessThanOrEqual(2);
        const view = { content: bytes, inode: "1", modified: Date.now() };
        const lock = { slot: 0, path: "/x.lock", view, record, verdict };
        const holder = holderOf({ lock, locks: [lock], isWhole: true });
        expect(JSON.parse(JSON.stringify(holder))).toMatchObject({ slot: 0 });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("what is written is read back", () => {
  test("the same, in either format", () => {
    fc.assert(
      fc.property(ownRecord, (record) => {
        expect(parse(writeLock(record))).toEqual(record);
      }),
      { numRuns: 1_000 },
    );
  });

  test("the same after heartbeats that made it shorter: padding does not show", () => {
    fc.assert(
      fc.property(ownRecord, fc.nat(5_000), (record, atLeast) => {
        const content = writeLock(record, atLeast);
        expect(Buffer.byteLength(content)).toBeGreaterThanOrEqual(atLeast);
        expect(parse(content)).toEqual(record);
      }),
    );
  });

  test("with the uptime rounded to milliseconds, which is the only rounding", () => {
    const record = { ...EXAMPLE, refreshedMonotonic: 123_456.7 };
    expect(parse(writeLock(record))).toEqual({ ...record, refreshedMonotonic: 123_457 });
  });

  test("and always fits into a lock file, with every field as long as it may be", () => {
    const long = "\ud83d\ude80".repeat(250);
    const metadata = Object.fromEntries(
      ["hostname", "user_identity", "session_id", "workflow", "repository", "ref", "run_url"].map(
        (field) => [field, '"'.repeat(1_000)],
      ),
    );
    for (const format of ["sema", "json"] as const) {
      const record = { ...EXAMPLE, format, owner: '"'.repeat(256), note: long, metadata };
      expect(Buffer.byteLength(writeLock(record))).toBeLessThan(LOCK_FILE_BYTES_LIMIT);
      expect(parse(writeLock(record))).toEqual(record);
    }
  });
});

describe("what does not matter", () => {
  test("CRLF line ends", () => {
    fc.assert(
      fc.property(ownRecord, (record) => {
        expect(parse(writeLock(record).replaceAll("\n", "\r\n"))).toEqual(record);
      }),
    );
  });

  test("a byte order mark", () => {
    expect(parse(`\ufeff${writeLock(EXAMPLE)}`)).toEqual(EXAMPLE);
    expect(parse("\ufeffpid=1\ntimestamp=2\n")).toMatchObject({ kind: "sema", pid: 1 });
  });

  test("unknown keys, blank lines and lines without = anywhere in a sema file", () => {
    const unknown = fc
      .tuple(
        fc.stringMatching(/^x_[a-z]{1,8}$/),
        anyText.map((text) => text.replace(/[\n\0]/g, " ")),
      )
      .map(([name, value]) => `${name}=${value}`);
    const noise = fc.oneof(unknown, fc.constantFrom("", "  ", "\t", "no equals sign", "# pid"));
    fc.assert(
      fc.property(ownRecord, fc.array(fc.tuple(fc.nat(), noise)), (record, insertions) => {
        const lines = writeLock({ ...record, format: "sema" }).split("\n");
        for (const [at, line] of insertions) lines.splice(at % (lines.length + 1), 0, line);
        expect(parse(lines.join("\n"))).toEqual({ ...record, format: "sema" });
      }),
    );
  });

  test("unknown keys in a JSON file, ours or the policy's", () => {
    fc.assert(
      fc.property(ownRecord, fc.jsonValue(), (record, extra) => {
        const json = JSON.parse(writeLock({ ...record, format: "json" }));
        json.x_extra = extra;
        json.holdfast.x_extra = extra;
        expect(parse(JSON.stringify(json))).toEqual({ ...record, format: "json" });
      }),
    );
  });

  test("spaces around names and values of a sema file", () => {
    expect(parse(" pid = 12 \n\ttimestamp =\t34\n tag = a = b \n")).toEqual({
      kind: "sema",
      pid: 12,
      timestamp: 34,
      tag: "a = b",
    });
  });
});

/** The parsing rules of the semats spec, word by word; a later line wins, as in its tools. */
function asSematsReads(content: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const line of content.split(/\r?\n/)) {
    const equals = line.indexOf("=");
    if (line.trim() === "" || equals === -1) continue;
    fields[line.slice(0, equals).trim()] = line.slice(equals + 1).trim();
  }
  return fields;
}

/** All text that users or other machines can put into a record, unchecked and hostile. */
function poisoned(text: string): Partial<OwnRecord> {
  return {
    key: text,
    owner: text,
    note: text,
    metadata: { job: text, [text]: text, ref: text },
    digest: text,
    process: { ...EXAMPLE.process, host: text, start: text, boot: text, namespace: text },
    covered: { pid: 9, start: text },
  };
}

/** What nobody may be able to change by the text of another field. */
function facts(record: LockRecord) {
  if (record.kind !== "holdfast") return record;
  const { fence, slot, slots, ttl, deadAfter, acquired, refreshed, beaten, beat } = record;
  const pids = [record.process.pid, record.covered?.pid];
  return { pids, fence, slot, slots, ttl, deadAfter, acquired, refreshed, beaten, beat };
}

/** Neither a key nor an owner is ever empty. */
const hostile = fc.oneof(forgery, anyText).filter((text) => text !== "");

describe("no text can forge another field", () => {
  test.each(["sema", "json"] as const)("in the %s format, for our reader", (format) => {
    fc.assert(
      fc.property(hostile, (text) => {
        const record = { ...EXAMPLE, ...poisoned(text), format };
        expect(facts(parse(writeLock(record)))).toEqual(facts(record));
      }),
      { numRuns: 1_000 },
    );
  });

  test("for the sema tools, which take the last line of a name", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const fields = asSematsReads(writeLock({ ...EXAMPLE, ...poisoned(text) }));
        expect(fields.pid).toBe("4711");
        expect(fields.timestamp).toBe(String(EXAMPLE.beaten / 1_000));
        expect(fields.fence).toBe(String(EXAMPLE.fence));
      }),
      { numRuns: 1_000 },
    );
  });

  test("and the first line of a name counts for us, so nothing appended can take its place", () => {
    const content = `${writeLock(EXAMPLE)}pid=1\nfence=1\nowner=thief\n`;
    expect(parse(content)).toEqual(EXAMPLE);
  });
});

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
