import { expect, test } from "vitest";
import { reportEnding } from "../../../../src/action/hold/report.ts";

const outcome = { acquired: true, since: "2026-11-16T10:00:00Z", until: "2026-11-16T16:00:00Z" };

test.each([
  [["a"], "a stays with this run"],
  [["a", "b"], "a and b stay with this run"],
  [["a", "b", "c"], "a, b and c stay with this run"],
])("a run that keeps %j is told so in a sentence", (keys, words) => {
  const lines: string[] = [];
  const core = { info: (line: string) => void lines.push(line) };
  const state = { outcome, inputs: { keys }, inLine: false };
  reportEnding({ core } as never, state as never, { outcome: "left", log: [] }, Date.now());
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(`holdfast: ${words}, until mode: release, `);
});
