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
import { EXAMPLE, ownRecord } from "../../../../helpers/file/records.ts";
import { anyText, forgery } from "../../../lock/arbitraries.ts";

const parse = (text: string) => parseLock(Buffer.from(text, "utf8"));

const fieldName = fc.constantFrom(
  "pid",
  "timestamp",
  "tag",
  "owner",
  "ttl",
  "holdfast",
  "key",
  "fence",
  "slot",
  "slots",
  "lease_ms",
  "beat",
  "beaten",
  "acquired",
  "refreshed",
  "process_id",
  "since",
  "metadata",
);
const fieldValue = fc.oneof(
  anyText,
  fc.nat().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
  fc.json(),
);
/** Bytes of every kind, from noise to files that are nearly right. */
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  anyText.map((text) => Buffer.from(text)),
  fc
    .array(fc.tuple(fieldName, fieldValue), { maxLength: 25 })
    .map((fields) => Buffer.from(fields.map(([name, value]) => `${name}=${value}\n`).join(""))),
  fc
    .dictionary(fieldName, fc.jsonValue())
    .map((json) => Buffer.from(JSON.stringify({ ...json, holdfast: json }))),
  fc
    .tuple(ownRecord, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([record, part]) => Buffer.from(writeLock(record)).subarray(0, -part * 400)),
);

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
          monotonic: 5_000,
          modified: Date.now(),
          alive,
          beatSeen: 4_000,
          refreshSeen: 4_000,
        };
        const verdict = judge(record, evidence, RULES);
        expect(processesOf(record, RULES).length).toBeLessThanOrEqual(2);
        const view = { content: bytes, inode: "1", modified: Date.now() };
        const holder = holderOf({ slot: 0, path: "/x.lock", view, record, verdict });
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
