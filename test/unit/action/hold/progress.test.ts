import { describe, expect, test } from "vitest";
import { Wait } from "../../../../src/action/hold/progress.ts";
import type { Estimate } from "../../../../src/lock/history.ts";
import { holder } from "../../forecast/holds.ts";

const estimate: Estimate = {
  ...{ lower: 480, upper: 700, likely: 590, usual: 360, holds: 12 },
  ...({ basis: "job", overdue: false } as const),
};
const wide = { ...estimate, lower: 5, upper: 1_020, likely: 25, usual: 1 };

/** What the log and the summary say of these estimates, told one after the other. */
function told(...estimates: Estimate[]) {
  const lines: string[] = [];
  const write = (line: string) => void lines.push(line);
  const place = { key: "k", slots: 1, weight: 1, timeout: null, store: "file:/x", memory: null };
  const wait = new Wait({ ...place, write });
  for (const [times, each] of estimates.entries()) {
    wait.update({ position: 1, waiting: times, holders: [holder("a", null)], estimate: each });
  }
  return { lines, expected: wait.seen().expected };
}

describe("the summary's first estimate", () => {
  test("is the first range that the log told, in its words", () => {
    const { lines, expected } = told(estimate, { ...estimate, lower: 60 });
    expect(expected).toBe("in about 8 to 12 min");
    expect(lines[0]).toContain(`your turn ${expected};`);
    expect(told(wide).expected).toBe("in about 25 s, rarely up to 17 min");
  });

  test("is none where the log told none", () => {
    const { lines, expected } = told({ ...wide, holds: 3 });
    expect(lines[0]).toContain("your turn not foreseeable: the 3 holds so far differ too much;");
    expect(expected).toBeNull();
    expect(told({ ...wide, overdue: true }, estimate).expected).toBe("in about 8 to 12 min");
  });
});
