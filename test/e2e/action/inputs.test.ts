import { describe, expect, test } from "vitest";
import { filesIn, openScene } from "../scene.ts";

/** Whatever a workflow gets wrong is said in one annotation that names the input; nothing is taken. */

const BAD: [input: string, value: string, says: RegExp][] = [
  ["key", "", /key/],
  ["key", "   ", /key/],
  ["key", "a\u0007b", /key/],
  ["key", "x".repeat(201), /key.*200/],
  ["store", "gopher://example", /store.*gopher/],
  ["store", "file://elsewhere/locks", /store.*elsewhere/],
  ["store", "./a/../b", /store.*\.\./],
  ["slots", "0", /slots/],
  ["slots", "two", /slots.*two/],
  ["slots", "1.5", /slots/],
  ["weight", "0", /weight/],
  ["weight", "2", /weight.*from 1 to 1/],
  ["weight", "most", /weight.*most/],
  ["priority", "101", /priority.*100/],
  ["priority", "high", /priority.*high/],
  ["resources", "pixel\npixel", /resources.*pixel.*twice/],
  ["resources", "pixel,,iphone", /resources/],
  ["timeout", "soon", /timeout.*soon/],
  ["timeout", "-1s", /timeout/],
  ["required", "maybe", /required.*maybe/],
  ["on-lost", "explode", /on-lost.*explode/],
  ["ttl", "0", /ttl/],
  ["ttl", "none", /ttl/],
  ["dead-after", "10ms", /dead-after.*10ms/],
  ["owner", "a\u0007b", /owner/],
  ["owner", "x".repeat(257), /owner.*256/],
  ["purpose", "fun", /purpose.*fun/],
  ["reclaim", "always", /reclaim.*always/],
  ["note", "x".repeat(1_001), /note.*1[,_]?000/],
  ["format", "xml", /format.*xml/],
  ["history", "always", /history.*always/],
  ["enabled", "perhaps", /enabled.*perhaps/],
  ["stage", "later", /stage.*later/],
];

describe("bad input", () => {
  for (const [input, value, says] of BAD) {
    test(`${input}: ${JSON.stringify(value).slice(0, 30)}`, async () => {
      const scene = openScene();
      const report = await scene.job({ steps: [scene.lock({ [input]: value })] }).finished;
      expect(report.stage("lock", "pre")).toMatchObject({ code: 1, result: "failure" });
      expect(report.annotations("error")).toHaveLength(1);
      const [sentence = ""] = report.annotations("error");
      expect(sentence).toMatch(says);
      expect(sentence).not.toMatch(/internal|undefined|\n|at .*:\d+:\d+/i);
      expect(report.skipped).toEqual(["lock main"]);
      expect(report.stage("lock", "post").code).toBe(0);
      expect(filesIn(`${scene.directory}/locks`)).toEqual([]);
      await scene.isTidy();
    });
  }
});

test("an input of spaces around a value is read without them", async () => {
  const scene = openScene();
  const report = await scene.job({ steps: [scene.lock({ slots: " 1 ", timeout: " 5s " })] })
    .finished;
  expect(report.result).toBe("success");
  await scene.isTidy();
});
