import { describe, expect, test } from "vitest";
import type { Inputs } from "../../../../src/action/inputs.ts";
import type { State } from "../../../../src/action/state.ts";
import { summaryOf } from "../../../../src/action/summary/summary.ts";
import type { Hold } from "../../../../src/lock/history.ts";

const NOW = Date.parse("2026-11-16T10:10:00.000Z");

const inputs: Inputs = {
  stage: "pre",
  mode: "hold",
  until: "job",
  line: "fifo",
  key: "production",
  keys: ["production"],
  store: "file:",
  slots: 1,
  weight: 1,
  priority: 0,
  resources: null,
  timeout: 60_000,
  required: true,
  onLost: "warn",
  ttl: null,
  deadAfter: 30_000,
  owner: null,
  leg: "",
  purpose: "automated",
  reclaim: [],
  note: "",
  format: "sema",
  history: "auto",
};

/** A holder that was waited for, of which nobody knows more than its id. */
function ahead(owner: string, since: string) {
  return { owner, since, fence: 41, name: owner, url: null };
}

function state(more: Partial<State> = {}): State {
  return {
    inputs,
    owner: "ci-github-457-1-deploy",
    store: "file:/var/lib/holdfast",
    leaseFile: "lease.json",
    keeper: null,
    started: Date.parse("2026-11-16T10:00:00.000Z"),
    outcome: {
      acquired: true,
      fence: 42,
      fences: { production: 42 },
      slot: 0,
      resources: null,
      waited: 240_000,
      since: "2026-11-16T10:04:00.000Z",
      until: null,
      ahead: [ahead("ci-github-456-1-deploy", "2026-11-16T09:58:00.000Z")],
      expected: "in about 2 to 6 min",
      frozen: null,
    },
    ...more,
  };
}

function past(owner: string, since: string, minutes: number, more: Partial<Hold> = {}): Hold {
  const run = owner.split("-")[2];
  const metadata = { run_url: `https://example.test/runs/${run}` };
  const held = minutes * 60_000;
  const known = { owner, since, held, waited: 60_000, fence: 1, slot: 0, metadata };
  return { ...known, end: "released", ...more };
}

/** Rows of the table, by name. */
function rowsOf(summary: string): Map<string, string> {
  const rows = [...summary.matchAll(/^\| ([^|]*) \| (.*) \|$/gm)];
  return new Map(rows.map(([, name = "", value = ""]) => [name, value]));
}

describe("the step summary", () => {
  test("says what was locked, how long it took and was held, and who was ahead", () => {
    const rows = rowsOf(summaryOf(state(), { outcome: "released", log: [] }, NOW));
    expect(Object.fromEntries(rows)).toMatchObject({
      Key: "`production`",
      Outcome: "released",
      Waited: "4m (the first estimate was: in about 2 to 6 min)",
      "Held for": "6m",
      Fence: "42",
      Ahead: "`ci-github-456-1-deploy`",
    });
  });

  test("names the slots that were held", () => {
    const outcome = { ...state().outcome, resources: ["pixel", "iphone"] } as State["outcome"];
    const one = { slots: [0], resources: ["pixel"], fence: 41 };
    const holds = [past("ci-github-456-1-deploy", "2026-11-16T09:58:00.000Z", 5, one)];
    const summary = summaryOf(state({ outcome }), { outcome: "released", log: [], holds }, NOW);
    expect(rowsOf(summary).get("Resource")).toBe("`pixel`, `iphone`");
    expect(summary).toMatch(/456.* on `pixel` \|/);
    expect(rowsOf(summaryOf(state(), { outcome: "released", log: [] }, NOW)).has("Resource")).toBe(
      false,
    );
  });

  test("draws the hold before, the wait and the hold as a timeline", () => {
    const summary = summaryOf(state(), { outcome: "released", log: [] }, NOW);
    const bars = [...summary.matchAll(/:(done|active|crit), (\d+), (\d+)/g)];
    expect(bars.map(([, style, from, to]) => [style, Number(to) - Number(from)])).toEqual([
      ["done", 360_000],
      ["done", 240_000],
      ["active", 360_000],
    ]);
  });

  test("shows the holds before: what is usual, the latest as rows, and those of the hour as bars", () => {
    const holds = [
      // This job's own, which is history by now.
      past("ci-github-457-1-deploy", "2026-11-16T10:04:00.000Z", 6, { fence: 42 }),
      past("ci-github-456-1-deploy", "2026-11-16T09:58:00.000Z", 5, { fence: 41 }),
      past("ci-github-455-1-deploy", "2026-11-16T09:50:00.000Z", 4, { fence: 40, end: "broken" }),
      past("ci-github-454-1-deploy", "2026-11-15T09:50:00.000Z", 7, { fence: 39 }),
      past("ci-github-453-1-deploy", "2026-11-14T09:50:00.000Z", 6, { fence: 38 }),
    ];
    const summary = summaryOf(state(), { outcome: "released", log: [], holds }, NOW);
    expect(rowsOf(summary).get("Usually held")).toBe("6m, 90 % within 7m (in 3 holds before)");
    expect(summary).toContain(
      "| [`ci-github-456-1-deploy`](https://example.test/runs/456) | 2026-11-16T09:58:00Z | 1m | 5m | released |",
    );
    expect(summary).toContain("| 2026-11-15T09:50:00Z | 1m | 7m | released |");
    const bars = [...summary.matchAll(/ {2}(.*) :(done|active|crit), (\d+), (\d+)/g)];
    expect(
      bars.map(([, name, style, from, to]) => [name, style, Number(to) - Number(from)]),
    ).toEqual([
      ["by ci-github-455-1-deploy", "crit", 240_000],
      // To its real end, not only to this job's turn.
      ["by ci-github-456-1-deploy", "done", 300_000],
      ["waited", "done", 240_000],
      ["held", "active", 360_000],
    ]);
  });

  test("one or two holds before are too few to say what is usual", () => {
    const holds = [past("ci-github-456-1-deploy", "2026-11-16T09:58:00.000Z", 5, { fence: 41 })];
    const summary = summaryOf(state(), { outcome: "released", log: [], holds }, NOW);
    expect(rowsOf(summary).has("Usually held")).toBe(false);
    expect(summary).toContain("| 2026-11-16T09:58:00Z | 1m | 5m | released |");
  });

  test("a job that did not wait has no bar for its waiting", () => {
    const held = state().outcome as Extract<State["outcome"], { acquired: true }>;
    const started = Date.parse(held.since) - 300;
    const outcome = { ...held, waited: 0, ahead: [] };
    const summary = summaryOf(state({ started, outcome }), { outcome: "released", log: [] }, NOW);
    const bars = [...summary.matchAll(/ {2}(.*) :(done|active|crit), /g)];
    expect(bars.map(([, name, style]) => [name, style])).toEqual([["held", "active"]]);
  });

  test("with slots, a hold ahead that is no history yet goes on", () => {
    const slots = { ...inputs, slots: 2 };
    const summary = summaryOf(state({ inputs: slots }), { outcome: "released", log: [] }, NOW);
    const bars = [...summary.matchAll(/ {2}(.*) :(done|active|crit), (\d+), (\d+)/g)];
    expect(bars[0]?.slice(1, 3)).toEqual(["by ci-github-456-1-deploy, goes on", "active"]);
    expect(Number(bars[0]?.[4])).toBe(NOW);
  });

  test("a lost lock is red, and says why", () => {
    const reason = "broken by ops: see https://example.test/acme/a_b-c/runs/7.";
    const summary = summaryOf(state(), { outcome: "lost", reason, holder: "x", log: [] }, NOW);
    expect(rowsOf(summary).get("Outcome")).toBe("**lost**");
    expect(rowsOf(summary).get("Why")).toBe(
      "broken by ops: see <https://example.test/acme/a_b-c/runs/7>.",
    );
    expect(summary).toMatch(/ {2}held :crit, /);
  });

  test("an address that is not plainly one is not linked to", () => {
    const holds = [
      past("x", "2026-11-16T09:58:00.000Z", 5, {
        metadata: { run_url: "javascript:alert(1)" },
      }),
      past("y", "2026-11-16T09:57:00.000Z", 5, {
        metadata: { run_url: "https://example.test/)|[x](y" },
      }),
    ];
    const summary = summaryOf(state(), { outcome: "released", log: [], holds }, NOW);
    expect(summary).toContain("| `x` | 2026");
    expect(summary).toContain("| `y` | 2026");
  });

  test("a claim that was not acquired says why, and has no timeline", () => {
    const outcome = {
      acquired: false,
      waited: 60_000,
      reason: 'held by "<b>x</b>" | `y`',
      newer: null,
    } as const;
    const summary = summaryOf(state({ outcome }), { outcome: "already-gone", log: [] }, NOW);
    expect(rowsOf(summary).get("Outcome")).toBe("not acquired");
    expect(summary).toContain('held by "\\<b\\>x\\</b\\>" \\| \\`y\\`');
    expect(summary).not.toContain("mermaid");
  });

  test("a superseded claim names the newer run, with a link, and calls it no failure", () => {
    const newer = { by: "ci-github-813-1-deploy", url: "https://example.test/actions/runs/813" };
    const reason = '"production" was not acquired: superseded by x';
    const outcome = { acquired: false, waited: 60_000, reason, newer } as const;
    const summary = summaryOf(state({ outcome }), { outcome: "already-gone", log: [] }, NOW);
    expect(rowsOf(summary).get("Outcome")).toBe(
      "superseded by [#813](https://example.test/actions/runs/813)",
    );
    expect(summary).not.toMatch(/not acquired|failed/);
    const of = (url: string | null) => {
      const other = { ...outcome, newer: { by: "x", url } };
      const ended = summaryOf(state({ outcome: other }), { outcome: "already-gone", log: [] }, NOW);
      return rowsOf(ended).get("Outcome");
    };
    expect(of(null)).toBe("superseded by `x`");
    expect(of("javascript:alert(1)//8")).toBe("superseded by #8");
    expect(of("https://example.test/build")).toBe(
      "superseded by [`x`](https://example.test/build)",
    );
  });

  test("several keys, a freeze while waiting, a lock of the run, and names instead of ids", () => {
    const held = state().outcome as Extract<State["outcome"], { acquired: true }>;
    const frozen = { by: "ann", reason: "incident | 42", since: held.since, until: null };
    const name = "Release of acme/shop, started by ann (ci-github-456-1-deploy)";
    const several = state({
      inputs: { ...inputs, keys: ["production", "web"], until: "run" },
      outcome: {
        ...held,
        fences: { production: 42, web: 17 },
        until: "2026-11-16T16:00:00.000Z",
        frozen,
        ahead: [{ ...ahead("ci-github-456-1-deploy", held.since), name, url: "https://x.test/1" }],
      },
    });
    const summary = summaryOf(several, { outcome: "left", log: [] }, NOW);
    expect(Object.fromEntries(rowsOf(summary))).toMatchObject({
      Keys: "`production`, `web`",
      Outcome: "stays with the run, until 2026-11-16T16:00:00Z at the latest",
      Fence: "42 of `production`, 17 of `web`",
      "While waiting": "frozen by ann: incident \\| 42, until it is thawed",
      Ahead: `[\`${name}\`](https://x.test/1)`,
    });
  });

  test.each([
    ["a pipe", "a | b"],
    ["backticks", "a `` b"],
    ["a line end", "a\n## b"],
    ["HTML", "<script>alert(1)</script>"],
    ["Mermaid's own words", "x :crit, 0, 1 %% section; click"],
    ["Mermaid's own words first", "section x"],
  ])("a name with %s stays a name", (_, name) => {
    const held = state().outcome as Extract<State["outcome"], { acquired: true }>;
    const hostile = state({
      inputs: { ...inputs, key: name, keys: [name] },
      outcome: { ...held, ahead: [ahead(name, held.since)] },
    });
    const summary = summaryOf(hostile, { outcome: "released", log: [] }, NOW);
    const lines = summary.split("\n");
    // As many lines as with a harmless name: nothing broke out of its place.
    const harmless = summaryOf(state(), { outcome: "released", log: [] }, NOW).split("\n");
    expect(lines.length).toBe(harmless.length);
    const timeline = lines.slice(lines.indexOf("```mermaid"));
    const bars = timeline.filter((line) => line.includes(" :"));
    expect(bars).toHaveLength(3);
    for (const bar of bars)
      expect(bar).toMatch(/^ {2}[\p{L}\p{N}@._/ -]+ :(done|active|crit), \d+, \d+$/u);
  });
});
