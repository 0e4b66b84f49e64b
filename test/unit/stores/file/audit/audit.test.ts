import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { appendLine, rotate } from "../../../../../src/stores/file/audit/append.ts";
import { entriesBackwards, lastAudit } from "../../../../../src/stores/file/audit/read.ts";
import { temporaryDirectory } from "../../../../helpers/directories.ts";
import { auditLog, failure, holder, owner, testStore } from "../../../../helpers/file/support.ts";
import { isWine, testWhere, unixDescribe, unixTest } from "../../../../helpers/platform.ts";
import { eventually } from "../../../../helpers/waiting.ts";

describe("every operation leaves one line, in the policy's shape", () => {
  test("acquire and release", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory, { user: "ann" });
    const metadata = { ci_system: "github", run_id: "456" };
    const holding = await store.claim({ key: "k", owner: owner("me", metadata) });
    await holding.release();
    const lockPath = join(directory, "k.lock");
    const { fence } = holding.lease;
    const common = { lockPath, user: "ann", pid: process.pid, timestamp: expect.any(String) };
    const details = { key: "k", owner: "me", fence, slot: 0 };
    expect(auditLog(directory)).toEqual([
      {
        ...common,
        operation: "acquire",
        details: { ...details, metadata, waited: expect.any(Number) },
      },
      { ...common, operation: "release", details: { ...details, held: expect.any(Number) } },
    ]);
    for (const { timestamp } of auditLog(directory))
      expect(new Date(timestamp).toISOString()).toBe(timestamp);
  });

  test("the operating system's user, where none is named", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    await (await store.claim({ key: "k", owner: owner("me") })).release();
    expect(auditLog(directory)[0]?.user).toBe(userInfo().username);
  });

  test("break, with its reason and who did it, before the loss that it causes", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const other = await holder(directory, { key: "k", owner: owner("victim") });
    await store.break("k", { reason: 'stuck since "noon"\n', owner: "admin" });
    expect(await other.lost).toContain("it was broken by admin");
    const lines = await eventually(
      () => auditLog(directory),
      (entries) => entries.length === 3,
    );
    expect(lines.map(({ operation }) => operation)).toEqual(["acquire", "break", "loss"]);
    expect(lines[1]?.details).toEqual({
      key: "k",
      existingOwner: "victim",
      fence: other.lease.fence,
      slot: 0,
      reason: 'stuck since "noon"\n',
      by: "admin",
    });
    expect(lines[2]).toMatchObject({ pid: other.pid, details: { owner: "victim" } });
  });

  test("timeout, with those who held it", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: owner("first") });
    await failure(store.claim({ key: "k", owner: owner("second") }, { timeout: 0 }), "TIMEOUT");
    expect(auditLog(directory)[1]).toMatchObject({
      operation: "timeout",
      details: { key: "k", owner: "second", heldBy: ["first"], waited: expect.any(Number) },
    });
    await holding.release();
  });

  test("no secret is in it, nor in the lock file", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const holding = await store.claim({ key: "k", owner: owner("me") });
    const { token } = holding.lease;
    expect(token).toMatch(/^[0-9a-f]{32}$/);
    expect(readFileSync(join(directory, "k.lock"), "utf8")).not.toContain(token);
    await holding.release();
    expect(readFileSync(join(directory, ".lock_audit.log"), "utf8")).not.toContain(token);
  });
});

describe("a log that cannot be written does not stop anybody", () => {
  test("a directory in its place", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    mkdirSync(join(directory, ".lock_audit.log"));
    const holding = await store.claim({ key: "k", owner: owner("me") });
    expect(await holding.release()).toBe("released");
  });

  unixTest("modes and owners")("a link in its place is not followed", async () => {
    const directory = temporaryDirectory();
    const store = await testStore(directory);
    const target = join(directory, "precious");
    writeFileSync(target, "precious\n");
    symlinkSync(target, join(directory, ".lock_audit.log"));
    const holding = await store.claim({ key: "k", owner: owner("me") });
    expect(await holding.release()).toBe("released");
    expect(readFileSync(target, "utf8")).toBe("precious\n");
  });
});

unixDescribe("modes and owners")(
  "a log that is something else does not stop a holder that loses its lock",
  () => {
    test.each(["a fifo", "a link to one"])("%s in its place", async (what) => {
      const directory = temporaryDirectory();
      const log = join(directory, ".lock_audit.log");
      const other = await holder(directory, { key: "k" });
      rmSync(log);
      const fifo = what === "a fifo" ? log : join(directory, "fifo");
      execFileSync("mkfifo", [fifo]);
      if (fifo !== log) symlinkSync(fifo, log);
      rmSync(join(directory, "k.lock"));
      expect(await other.lost).toContain("its lock file is gone");
    });
  },
);

describe("the history", () => {
  test("is read from its end, newest first, and garbage in it is left out", () => {
    const log = join(temporaryDirectory(), "log");
    const recent = (bytes = 65_536) =>
      [...entriesBackwards([log], '"operation"', bytes)].map(({ details }) => details.number);
    expect(recent()).toEqual([]);
    const entry = (number: number) => JSON.stringify({ operation: "acquire", details: { number } });
    writeFileSync(log, `${entry(1)}\nhalf a li${entry(2)}\n\n${entry(3)}\n{"operation":1}\n`);
    expect(recent()).toEqual([3, 1]);
    // Only the last line fits, and the one before is cut.
    writeFileSync(log, `${entry(1)}\n${entry(2)}\n`);
    expect(recent(entry(2).length + 5)).toEqual([2]);
  });

  test("finds the last entry of a lock", () => {
    const log = join(temporaryDirectory(), "log");
    const line = (lockPath: string, operation: string, number: number) =>
      `${JSON.stringify({ lockPath, operation, details: { number } })}\n`;
    writeFileSync(log, line("/a", "break", 1) + line("/a", "acquire", 2) + line("/b", "break", 3));
    expect(lastAudit(log, "/a", ["break", "reclaim"])?.details.number).toBe(1);
    expect(lastAudit(log, "/c", ["break"])).toBeUndefined();
  });
});

describe("rotation", () => {
  test("a full log becomes the older one; the line that filled it is the last there", () => {
    const log = join(temporaryDirectory(), ".lock_audit.log");
    for (let line = 0; line < 7; line++) appendLine(log, `line ${line}\n`, 0o600, 20);
    expect(readFileSync(`${log}.1`, "utf8")).toBe("line 3\nline 4\nline 5\n");
    expect(readFileSync(log, "utf8")).toBe("line 6\n");
  });

  test("one who found the old log full a moment too late leaves the young one where it is", () => {
    const log = join(temporaryDirectory(), ".lock_audit.log");
    for (let line = 0; line < 4; line++) appendLine(log, `line ${line}\n`, 0o600, 20);
    const full = statSync(`${log}.1`, { bigint: true }).ino;
    rotate(log, full);
    expect(readFileSync(log, "utf8")).toBe("line 3\n");
    expect(readFileSync(`${log}.1`, "utf8")).toBe("line 0\nline 1\nline 2\n");
    rotate(log, statSync(log, { bigint: true }).ino);
    expect(readFileSync(`${log}.1`, "utf8")).toBe("line 3\n");
  });

  test("a log below the limit stays", () => {
    const log = join(temporaryDirectory(), ".lock_audit.log");
    for (let line = 0; line < 100; line++) appendLine(log, `line ${line}\n`, 0o600);
    expect(existsSync(`${log}.1`)).toBe(false);
  });

  unixTest("modes and owners")("both have the mode that the directory implies", () => {
    const log = join(temporaryDirectory(), ".lock_audit.log");
    for (let line = 0; line < 4; line++) appendLine(log, `line ${line}\n`, 0o660, 20);
    expect(statSync(log).mode & 0o777).toBe(0o660);
    expect(statSync(`${log}.1`).mode & 0o777).toBe(0o660);
  });

  test("an older log that cannot be replaced does not lose lines", () => {
    const log = join(temporaryDirectory(), ".lock_audit.log");
    mkdirSync(join(`${log}.1`, "in the way"), { recursive: true });
    for (let line = 0; line < 5; line++) appendLine(log, `line ${line}\n`, 0o600, 20);
    expect(readFileSync(log, "utf8")).toBe("line 0\nline 1\nline 2\nline 3\nline 4\n");
  });

  /** Each line is 100 bytes. A log holds many more lines than there are writers. */
  const WRITER = `
    const [, module, log, name, count, limit] = process.argv;
    import(module).then(({ appendLine }) => {
      for (let line = 0; line < Number(count); line++)
        appendLine(log, (name + " " + line).padEnd(99, ".") + "\\n", 0o600, Number(limit));
    });
  `;

  // wine loses lines of processes that append at the same time, also where nothing is rotated.
  testWhere(!isWine, "appends that stay whole")(
    "processes that find the log full at the same time never put a young log over a full one",
    async () => {
      const directory = temporaryDirectory();
      const log = join(directory, ".lock_audit.log");
      const { href: module } = new URL(
        "../../../../../src/stores/file/audit/append.ts",
        import.meta.url,
      );
      const limit = 50_000;
      const writers = ["a", "b", "c", "d"].map((name) =>
        spawn(process.execPath, ["-e", WRITER, module, log, name, "1500", String(limit)], {
          stdio: "inherit",
        }),
      );
      const codes = await Promise.all(
        writers.map(async (writer) => (await once(writer, "exit"))[0]),
      );
      expect(codes).toEqual([0, 0, 0, 0]);
      // 600,000 bytes went through logs of 50,000: had a young one been moved, the older would be short.
      expect(statSync(`${log}.1`).size).toBeGreaterThanOrEqual(limit);
      for (const file of [log, `${log}.1`]) {
        if (!existsSync(file)) continue;
        for (const line of readFileSync(file, "utf8").trimEnd().split("\n"))
          expect(line).toMatch(/^[abcd] \d+\.+$/);
      }
      // Nobody's lines are out of order or missing in the middle of what is kept.
      const kept = [`${log}.1`, log].filter(existsSync).map((file) => readFileSync(file, "utf8"));
      for (const name of "abcd") {
        const numbers = kept.join("").matchAll(new RegExp(`^${name} (\\d+)`, "gm"));
        const sequence = [...numbers].map(([, number]) => Number(number));
        for (const [index, number] of sequence.entries())
          if (index > 0) expect(number).toBe((sequence[index - 1] as number) + 1);
        if (sequence.length > 0) expect(sequence.at(-1)).toBe(1_499);
      }
    },
  );
});
