import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { estimateTurn } from "../../../src/forecast/estimate.ts";
import { formatRange, turnIn } from "../../../src/forecast/turn.ts";
import {
  holdersInLine,
  pictureOf,
  waitingInLine,
  waitingOnTerminal,
} from "../../../src/forecast/words.ts";
import type { Estimate } from "../../../src/lock/history.ts";
import { nameOf } from "../../../src/lock/people/who.ts";
import type { Holder } from "../../../src/lock/status.ts";
import { hold, holder, holding, NOW as PAST } from "./holds.ts";

const NOW = Date.parse("2026-11-16T10:04:10.000Z");

const estimate: Estimate = {
  lower: 480,
  upper: 700,
  likely: 590,
  usual: 360,
  holds: 12,
  basis: "job",
  overdue: false,
};

/** What a reader takes from a range, in seconds. */
function shownRange(lower: number, upper: number): { from: number; to: number } {
  const text = formatRange(lower, upper);
  const match = /^(?:within|in about) ([\d.]+)(?: (s|min|h|d))?(?: to ([\d.]+) (s|min|h|d))?$/.exec(
    text,
  );
  const [, first = "", firstUnit, second, secondUnit] = match ?? [];
  const sizes: Record<string, number> = { s: 1, min: 60, h: 3_600, d: 86_400 };
  const one = Number(first) * (sizes[firstUnit ?? secondUnit ?? ""] as number);
  const two = second === undefined ? one : Number(second) * (sizes[secondUnit ?? ""] as number);
  expect(one, text).toBeGreaterThan(0);
  return { from: text.startsWith("within") ? 0 : one, to: two };
}

describe("the waiting line of a terminal", () => {
  const self = { waited: 2_000, limit: 1_800_000, troubled: 0, look: "holdfast status k" };
  const fits = (columns: number) => (text: string) => text.length <= columns;
  const shown = (columns: number) => {
    const held = { ...holder("pid-7@vm"), since: "2026-11-16T10:04:06.000Z" };
    const progress = { position: 1, waiting: 1, holders: [held], estimate };
    return waitingOnTerminal("k", progress, NOW, self, fits(columns));
  };

  test("breaks between what it says, and puts the wait where there is room", () => {
    const place = "waiting for k: 1st in line; your turn in about 8 to 12 min";
    const by = "held by pid 7 on vm for 4s, usually 6m";
    expect(shown(80)).toEqual([`${place}; waited 2s of 30m`, by]);
    expect(shown(70)).toEqual([place, `${by}; waited 2s of 30m`]);
    expect(shown(58)).toEqual([place, `${by}; waited 2s of 30m`]);
    const [line, turn] = place.split("; ");
    expect(shown(50)).toEqual([line, `${turn}; waited 2s of 30m`, by]);
    expect(shown(40)).toEqual([line, turn, by, "waited 2s of 30m"]);
  });
});

describe("a range of time", () => {
  test.each([
    [0, 0, "within 5 s"],
    [0, 31, "within 35 s"],
    [12, 31, "in about 10 to 35 s"],
    [20, 20, "in about 20 s"],
    [59, 99, "in about 55 to 100 s"],
    [59, 101, "in about 55 to 105 s"],
    [59, 121, "in about 55 s to 3 min"],
    [61, 130, "in about 1 to 3 min"],
    [360, 660, "in about 6 to 11 min"],
    [540, 600, "in about 9 to 10 min"],
    [3_600, 7_300, "in about 1 to 2.5 h"],
    [100, 86_400 * 3, "in about 100 s to 3 d"],
    [86_400 * 2, 86_400 * 20, "in about 2 to 20 d"],
  ])("%i to %i s is %s: rounded outwards", (lower, upper, text) => {
    expect(formatRange(lower, upper)).toBe(text);
  });

  test("never begins or ends earlier than that of a claim further in front", () => {
    const seconds = fc.integer({ min: 0, max: 10 * 86_400 });
    fc.assert(
      fc.property(seconds, seconds, seconds, seconds, (lower, more, lowerMore, upperMore) => {
        const front = shownRange(lower, lower + more);
        const back = shownRange(lower + lowerMore, lower + lowerMore + more + upperMore);
        expect(back.from).toBeGreaterThanOrEqual(front.from);
        expect(back.to).toBeGreaterThanOrEqual(front.to);
      }),
    );
  });
});

test("that there is an estimate, and that a holder is late, is news; a new figure is not", () => {
  const progress = { position: 1, waiting: 1, holders: [holder("a", 0)] };
  const pictures = [
    progress,
    { ...progress, estimate },
    { ...progress, estimate: { ...estimate, lower: 1, upper: 2 } },
    { ...progress, estimate: { ...estimate, overdue: true } },
  ].map(pictureOf);
  expect(new Set(pictures).size).toBe(3);
  expect(pictures[1]).toBe(pictures[2]);
});

describe("the words of a waiting claim", () => {
  const progress = { position: 2, waiting: 2, holders: [holder("ci-github-812-1-deploy", 0)] };

  test("with an estimate: what is usual, and when it is its turn", () => {
    expect(waitingInLine("production", { ...progress, estimate }, NOW)).toBe(
      "waiting for production: 2nd in line; your turn in about 8 to 12 min; held by ci-github-812-1-deploy for 4m 10s, usually 6m",
    );
  });

  test("with a holder that is late, it says so", () => {
    expect(turnIn({ ...estimate, overdue: true })).toBe(
      "in about 8 to 12 min; a holder is over its usual time",
    );
  });

  test("with a holder far over its usual time, it says so instead of a turn, and what to do", () => {
    const late = { ...estimate, usual: 60, overdue: true, upper: 266_400 };
    const self = { waited: 61_000, limit: 1_800_000, troubled: 0, look: "holdfast status k" };
    expect(waitingInLine("k", { ...progress, estimate: late }, NOW, self)).toBe(
      "waiting for k: 2nd in line; your turn not foreseeable: held 4 times its usual time; it may be stuck; held by ci-github-812-1-deploy for 4m 10s, usually 1m; waited 1m 1s of 30m; see holdfast status k",
    );
    expect(turnIn(late, progress.holders, NOW)).not.toMatch(/\d+ (h|d)\b/);
  });

  test("with a holder over its usual time for less than a minute, it promises nothing and worries nobody", () => {
    const quick = { ...estimate, usual: 0, overdue: true, upper: 3_000 };
    const heldFor = (seconds: number) =>
      Date.parse(progress.holders[0]?.since ?? "") + seconds * 1_000;
    expect(turnIn(quick, progress.holders, heldFor(30))).toBe(
      "not foreseeable: held 60 times its usual time",
    );
    expect(turnIn(quick, progress.holders, heldFor(60))).toContain("; it may be stuck");
    expect(turnIn(quick, progress.holders, heldFor(9))).toBe(
      "not foreseeable: a holder is over its usual time",
    );
  });

  test("a usual time of less than a second is not called nothing", () => {
    const quick = { ...estimate, usual: 0 };
    expect(holdersInLine(progress.holders, NOW, quick)).toContain("usually under 1s");
  });

  test("own waiting time and deadline, and after a while the command that tells more", () => {
    const self = { waited: 0, limit: 1_800_000, troubled: 0, look: "holdfast status k" };
    const at = (waited: number, limit: number | null) =>
      waitingInLine("k", progress, NOW, { ...self, waited, limit });
    expect(at(900, null)).toMatch(/for 4m 10s$/);
    expect(at(120_000, 1_800_000)).toMatch(/for 4m 10s; waited 2m of 30m$/);
    expect(at(120_000, null)).toMatch(/; waited 2m$/);
    expect(at(900_000, null)).toMatch(/; waited 15m; see holdfast status k$/);
  });

  test("workflow, repository and actor stand before the id, and the address comes last", () => {
    const metadata = {
      workflow: "Release",
      repository: "acme/shop",
      actor: "ann",
      run_url: "https://example.test/1",
    };
    const known = { ...holder("ci-github-812-1-deploy", 0), metadata, note: "v1.2.3" };
    const self = { waited: 61_000, limit: null, troubled: 0, look: "" };
    expect(waitingInLine("k", { ...progress, holders: [known] }, NOW, self)).toBe(
      'waiting for k: 2nd in line; held by Release of acme/shop, started by ann (ci-github-812-1-deploy) for 4m 10s, "v1.2.3"; waited 1m 1s (https://example.test/1)',
    );
    expect(nameOf({ owner: "o", metadata: { workflow: "Release" } })).toBe("Release (o)");
    expect(nameOf({ owner: "o", metadata: { actor: "ann" } })).toBe("o");
  });

  test("trouble is told with how long it has been; new words of it are no news", () => {
    const self = { waited: 0, limit: null, troubled: 90_000, look: "" };
    const troubled = { ...progress, trouble: "the server is away" };
    expect(waitingInLine("k", troubled, NOW, self)).toMatch(/; the server is away \(for 1m 30s\)$/);
    expect(pictureOf(troubled)).toBe(pictureOf({ ...progress, trouble: "it is still away" }));
    expect(pictureOf(troubled)).not.toBe(pictureOf(progress));
  });

  test("without one there is no word of it", () => {
    const bare = "waiting for k: 2nd in line; held by ci-github-812-1-deploy for 4m 10s";
    expect(waitingInLine("k", progress, NOW)).toBe(bare);
    expect(waitingInLine("k", { ...progress, estimate: null }, NOW)).toBe(bare);
  });

  test("trouble is not what the past was like: no turn is promised then", () => {
    const line = waitingInLine("k", { ...progress, estimate, trouble: "stuck" }, NOW);
    expect(line).toMatch(/; stuck$/);
    expect(line).not.toContain("your turn");
  });

  test("of a claim for a slot that is frozen by itself says so, beside its turn", () => {
    const freeze = { by: "ann", reason: "broken", since: "2026-11-16T09:00:00.000Z", until: null };
    const held = { ...holder("a"), slot: 0, slots: [0] };
    // One that is still held is not what the claim waits for.
    const frozenSlots = [
      { ...freeze, slot: 0, resource: "pixel" },
      { ...freeze, slot: 1, resource: "iphone" },
    ];
    const waits = { position: 1, waiting: 1, holders: [held], estimate, frozenSlots };
    const line = waitingInLine("k", waits, NOW);
    expect(line).toMatch(
      /; your turn in about 8 to 12 min; held by a .*; iphone is frozen by ann: broken, /,
    );
    expect(line).not.toContain("pixel");
    expect(pictureOf(waits)).not.toBe(pictureOf({ ...waits, frozenSlots: [] }));
  });

  test("a freeze comes before everything else, and no turn is promised", () => {
    const until = "2026-11-16T12:00:00.000Z";
    const frozen = { by: "ann", reason: "incident 42.", since: until, until };
    const line = waitingInLine("k", { ...progress, estimate, frozen }, NOW);
    expect(line).toMatch(
      /^waiting for k: 2nd in line; frozen by ann: incident 42, until 2026-11-16T12:00:00Z; held by /,
    );
    expect(line).not.toContain("your turn");
    const open = { ...progress, frozen: { ...frozen, until: null } };
    expect(waitingInLine("k", open, NOW)).toContain("incident 42, until it is thawed; held by");
    expect(pictureOf(open)).not.toBe(pictureOf(progress));
    expect(pictureOf({ ...progress, frozen: null })).toBe(pictureOf(progress));
  });

  test("a lock of a whole run says so, and until when", () => {
    const run = { id: "github.com/acme/shop/runs/1/attempts/1", until: "2026-11-16T16:00:00.000Z" };
    const [first] = progress.holders;
    expect(waitingInLine("k", { ...progress, holders: [{ ...first, run } as Holder] }, NOW)).toBe(
      "waiting for k: 2nd in line; held by ci-github-812-1-deploy for 4m 10s, for the whole run, until 2026-11-16T16:00:00Z",
    );
  });

  test("of several keys the one that is waited for is named, and another one is news", () => {
    expect(waitingInLine("a", { ...progress, key: "b" }, NOW)).toMatch(/^waiting for b: /);
    expect(pictureOf({ ...progress, key: "b" })).not.toBe(pictureOf({ ...progress, key: "a" }));
  });

  test("of several holders the first is compared with what is usual", () => {
    expect(holdersInLine([holder("a", 0), holder("b", 0)], NOW, estimate)).toBe(
      "a for 4m 10s, usually 6m; b for 4m 10s",
    );
  });
});

/** What a claim is told of its turn after holds of so many seconds, the newest first. */
function told(times: readonly number[], elapsed: number, position = 1): string {
  const SECOND = 1 / 60;
  const holders = [holding(elapsed * SECOND)];
  const holds = times.map((time) => hold(time * SECOND));
  const found = estimateTurn({ holds, holders, position, slots: 1, now: PAST });
  return turnIn(found as Estimate, holders, PAST);
}

describe("a first hour, with holds that have little in common", () => {
  test("promises nothing, and calls nothing rare", () => {
    const guess = "not foreseeable: the 3 holds so far differ too much";
    for (const elapsed of [1, 15, 17]) expect(told([0.1, 25, 0.1], elapsed)).toBe(guess);
    const rare = Array.from({ length: 9 }, () => 5);
    for (let count = 3; count < 9; count++) {
      expect(told([...rare.slice(1, count), 120], 3), `${count} holds`).not.toContain("rarely");
    }
  });

  test("tells a range where it is narrow, though the holds are few", () => {
    expect(told([5, 5.2, 4.9], 0)).toBe("within 10 s");
  });
});

describe("nine holds of about 5 s", () => {
  const usual = [5.01, 5.2, 4.9, 5.03, 5.1, 5, 4.8, 5.3, 5.02];

  test("let the next in line expect about 5 s, wherever the holder stands", () => {
    expect(told(usual, 0)).toBe("within 10 s");
    expect(told(usual, 2)).toBe("within 5 s");
    expect(told(usual, 4.9)).toBe("within 5 s");
    expect(told(usual, 0, 3)).toBe("in about 10 to 20 s");
  });

  test("promise nothing of a holder that goes on for longer than any did", () => {
    expect(told(usual, 6)).toBe("within 5 s; a holder is over its usual time");
    for (const elapsed of [8, 8.5, 9, 9.5, 9.9]) {
      expect(told(usual, elapsed)).toBe("not foreseeable: a holder is over its usual time");
    }
    expect(told(usual, 11)).toBe("not foreseeable: held 2 times its usual time");
  });

  test("with one among them that took two minutes, the usual end is told first", () => {
    const rare = [...usual.slice(0, 8), 120];
    expect(told(rare, 0)).toMatch(/^in about 5( to 10)? s, rarely up to \d+ s$/);
    expect(told(rare, 3)).toMatch(/^within 5 s, rarely up to \d+ s$/);
  });
});
