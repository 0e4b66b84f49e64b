import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openWaitingLine, WaitingLine, waitingText } from "../../../../src/cli/run/waiting-line.ts";
import type { Holder } from "../../../../src/lock/status.ts";
import { oneSlot } from "../../../../src/lock/status.ts";
import type { Progress } from "../../../../src/lock/store.ts";

const NOW = Date.parse("2026-11-16T10:04:10.000Z");

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

function holder(owner: string, more: Partial<Holder> = {}): Holder {
  return {
    owner,
    since: "2026-11-16T10:00:00.000Z",
    ttl: 86_400,
    fence: 1,
    ...oneSlot(0),
    pid: 4711,
    host: "runner-3",
    alive: true,
    reclaimable: null,
    note: null,
    metadata: {},
    heartbeat: null,
    ...more,
  };
}

function progress(position: number, ...holders: Holder[]): Progress {
  return { position, waiting: position, holders };
}

function line(isTerminal: boolean, columns = 80) {
  const written: string[] = [];
  const output = {
    write: (text: string) => written.push(text),
    isTerminal,
    columns: () => columns,
  };
  return { written, line: new WaitingLine("production", output, { env: { NO_COLOR: "1" } }) };
}

describe("the words", () => {
  test("place in line, holder, for how long, note and run", () => {
    const metadata = { run_url: "https://example.test/runs/456" };
    const it = holder("ci-github-456-1-deploy", { note: "v1.2.3", metadata });
    expect(waitingText("production", progress(2, it), NOW)).toBe(
      'holdfast: waiting for production: 2nd in line; held by ci-github-456-1-deploy for 4m 10s, "v1.2.3" (https://example.test/runs/456)',
    );
  });

  test("many holders are counted, not listed", () => {
    const holders = ["a", "b", "c", "d", "e"].map((owner) => holder(owner));
    expect(waitingText("k", progress(1, ...holders), NOW)).toBe(
      "holdfast: waiting for k: 1st in line; held by a for 4m 10s; b for 4m 10s; c for 4m 10s; and 2 more",
    );
  });

  test("trouble is told as it is, and a lock file that cannot be read is called that", () => {
    const it = holder("unknown", { problem: "not a lock file" });
    const trouble = "The guard has been busy for 2 s, held by process 12 (stopped).";
    expect(waitingText("k", { ...progress(1, it), trouble }, NOW)).toBe(
      `holdfast: waiting for k: 1st in line; held by a lock file that cannot be read for 4m 10s; ${trouble}`,
    );
  });

  test("are those that the docs show", () => {
    const docs = ["troubleshooting.md", "history.md"].map((name) =>
      readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8"),
    );
    const run = {
      ci_system: "github",
      workflow: "Release",
      run_number: "128",
      repository: "acme/shop",
      ref: "refs/heads/main",
      job: "deploy",
      actor: "ann",
      run_url: "https://github.com/acme/shop/actions/runs/456",
    };
    const since = "2026-11-16T10:04:08.000Z";
    const held = holder("ci-github-456-1-deploy", { since, note: "v1.2.3", metadata: run });
    expect(docs[0]).toContain(`\n${waitingText("production", progress(2, held), NOW)}\n`);
    const usual = holder("ci-github-812-1-deploy", { metadata: { run_url: "https://…" } });
    const estimate = {
      lower: 480,
      upper: 720,
      likely: 600,
      usual: 360,
      holds: 9,
      basis: "key",
      overdue: false,
    } as const;
    const told = { ...progress(2, usual), estimate };
    expect(docs[1]).toContain(`\n${waitingText("production", told, NOW)}\n`);
  });

  test("nothing in an owner, a note or a run's address can reach the terminal", () => {
    const evil = "\u001b[2J\u009b1A\n\u202egnp";
    const it = holder(`o${evil}`, { note: `n${evil}`, metadata: { run_url: `u${evil}` } });
    const text = waitingText("k", progress(1, it), NOW);
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });
});

describe("without a terminal", () => {
  test("a line when the place or the holder changes, none when only time passes", () => {
    const { written, line: it } = line(false);
    it.update(progress(2, holder("a")));
    vi.advanceTimersByTime(1_000);
    it.update(progress(2, holder("a")));
    expect(written).toHaveLength(1);
    it.update(progress(1, holder("a")));
    it.update(progress(1, holder("b", { fence: 2 })));
    expect(written).toHaveLength(3);
    expect(written[1]).toContain("1st in line; held by a for 4m 11s\n");
    expect(written[2]).toContain("held by b");
  });

  test("a line every 30 s though nothing changes", () => {
    const { written, line: it } = line(false);
    it.update(progress(1, holder("a")));
    vi.advanceTimersByTime(29_999);
    expect(written).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(written).toHaveLength(2);
    expect(written[1]).toContain("for 4m 40s\n");
    vi.advanceTimersByTime(60_000);
    expect(written).toHaveLength(4);
  });

  test("trouble that is told in new words each time is one line, then one every 30 s", () => {
    const { written, line: it } = line(false);
    for (let turn = 0; turn < 240; turn++) {
      const trouble = turn % 2 === 0 ? "it does not answer" : `it is away; asking again (${turn})`;
      it.update({ ...progress(1, holder("a")), trouble });
      vi.advanceTimersByTime(250);
    }
    expect(written).toHaveLength(3);
    it.update(progress(1, holder("a")));
    expect(written).toHaveLength(4);
  });

  test("nothing more after the end", () => {
    const { written, line: it } = line(false);
    it.update(progress(1, holder("a")));
    it.end();
    it.update(progress(1, holder("b")));
    vi.advanceTimersByTime(120_000);
    expect(written).toHaveLength(1);
  });
});

describe("on a terminal", () => {
  test("one line, redrawn in place each second, cleared at the end", () => {
    const { written, line: it } = line(true);
    it.update(progress(1, holder("a")));
    vi.advanceTimersByTime(2_000);
    it.end();
    expect(written.join("")).not.toContain("\n");
    expect(written).toEqual([
      "\r\u001b[Jholdfast: waiting for production: 1st in line; held by a for 4m 10s",
      "\r\u001b[Jholdfast: waiting for production: 1st in line; held by a for 4m 11s",
      "\r\u001b[Jholdfast: waiting for production: 1st in line; held by a for 4m 12s",
      "\r\u001b[J",
    ]);
  });

  test("at 80 columns nothing of place, turn and holder is cut: the holder has a line of its own", () => {
    const { written, line: it } = line(true);
    const metadata = {
      ci_system: "github",
      workflow: "Release",
      repository: "acme/shop",
      run_number: "128",
      ref: "refs/heads/main",
      actor: "ann",
      run_url: "https://github.com/acme/shop/actions/runs/456",
    };
    const estimate = {
      ...{ lower: 480, upper: 720, likely: 600, usual: 360, holds: 9 },
      ...({ basis: "key", overdue: false } as const),
    };
    const held = holder("ci-github-456-1-deploy", { metadata, note: "v1.2.3" });
    it.update({ ...progress(2, held), estimate });
    it.update({ ...progress(1, held), estimate });
    it.end();
    const indent = " ".repeat(10);
    expect(written).toEqual([
      "\r\u001b[Jholdfast: waiting for production: 2nd in line; your turn in about 8 to 12 min\r\n" +
        `${indent}held by Release #128 of acme/shop (main), started by ann for 4m 10s,\r\n` +
        `${indent}usually 6m, "v1.2.3"`,
      "\u001b[A\u001b[A\r\u001b[Jholdfast: waiting for production: 1st in line; your turn in about 8 to 12 min\r\n" +
        `${indent}held by Release #128 of acme/shop (main), started by ann for 4m 10s,\r\n` +
        `${indent}usually 6m, "v1.2.3"`,
      "\u001b[A\u001b[A\r\u001b[J",
    ]);
    for (const drawn of written.join("").split(/\r\n|\r|\u001b\[[AJ]/))
      expect(drawn.length).toBeLessThan(80);
  });

  test("what status says of a holder that is gone or stopped is said here, and is news", () => {
    const alone = holder("ann", { command: { pid: 28_054, name: "sleep", alone: true } });
    expect(waitingText("k", progress(1, alone), NOW)).toContain(
      "held by ann for 4m 10s, gone; its command 28054 (sleep) is alive",
    );
    const stopped = holder("ann", { stopped: true });
    expect(waitingText("k", progress(1, stopped), NOW)).toContain("for 4m 10s, stopped");
    const { written, line: it } = line(false);
    it.update(progress(1, holder("ann")));
    it.update(progress(1, stopped));
    expect(written).toHaveLength(2);
  });

  test("a narrow terminal gets more lines, none as wide as itself", () => {
    const { written, line: it } = line(true, 30);
    it.update(progress(1, holder("a")));
    expect(written).toEqual([
      "\r\u001b[Jholdfast: waiting for\r\n          production: 1st in\r\n          line\r\n          held by a for 4m\r\n          10s",
    ]);
  });

  test("a long note is cut, so that the line can be drawn again", () => {
    const { written, line: it } = line(true);
    it.update(progress(1, holder("a", { note: "a very long note ".repeat(20) })));
    expect(written.join("").split("\r\n")).toHaveLength(3);
    expect(written.join("")).toContain("…");
  });

  test("is yellow where something is wrong, unless NO_COLOR is set", () => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text), isTerminal: true };
    const stream = { ...output, columns: () => 60 };
    const open = (env: NodeJS.ProcessEnv) =>
      openWaitingLine("k", null, () => "", { stderr: stream, env });
    open({}).update(progress(1, holder("a")));
    const trouble = { ...progress(1, holder("a")), trouble: "the server is away" };
    open({ NO_COLOR: "1" }).update(trouble);
    open({}).update(trouble);
    const [yellow, plain] = ["\u001b[33m", "\u001b[0m"];
    const lines = [
      "holdfast: waiting for k: 1st in line; the server is away",
      "          held by a for 4m 10s",
    ];
    expect(written).toEqual([
      "\r\u001b[Jholdfast: waiting for k: 1st in line; held by a for 4m 10s",
      `\r\u001b[J${lines.join("\r\n")}`,
      `\r\u001b[J${lines.map((line) => `${yellow}${line}${plain}`).join("\r\n")}`,
    ]);
  });

  test("an end without a wait leaves the terminal alone", () => {
    const { written, line: it } = line(true);
    it.end();
    expect(written).toEqual([]);
  });
});
