import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { type Bar, gantt } from "../../../../src/action/summary/markdown.ts";
import { describeInBrowser, openTab } from "../../../helpers/page/browser.ts";

const AT = Date.parse("2026-11-16T10:00:00.000Z");
const MERMAID = readFileSync(
  createRequire(import.meta.url).resolve("mermaid/dist/mermaid.min.js"),
  "utf8",
);

interface Drawn {
  readonly label: string;
  readonly classes: string;
  readonly width: number;
}

/** The bars of a timeline as a browser draws them. */
async function drawn(bars: readonly Bar[]): Promise<Drawn[]> {
  const page = await openTab();
  await page.setContent("<div id=picture></div>");
  await page.addScriptTag({ content: MERMAID });
  const text = gantt(bars).split("\n").slice(1, -1).join("\n");
  // As a text: the tests are compiled without a browser's types.
  return page.evaluate(`(async () => {
    const { svg } = await mermaid.render("timeline", ${JSON.stringify(text)});
    document.getElementById("picture").innerHTML = svg;
    return [...document.querySelectorAll("rect.task")].map((bar) => ({
      label: document.getElementById(bar.id + "-text").textContent.trim(),
      classes: bar.getAttribute("class"),
      width: bar.getBBox().width,
    }));
  })()`);
}

describeInBrowser("the timeline in a browser", () => {
  test("a hold that is over, one that goes on, and this job's own, of which none is red", async () => {
    const bars = await drawn([
      { section: "Before", label: "by a", style: "done", from: AT, to: AT + 60_000 },
      { section: "Before", label: "by b, goes on", style: "active", from: AT, to: AT + 90_000 },
      { section: "This job", label: "waited", style: "done", from: AT, to: AT + 60_000 },
      { section: "This job", label: "held", style: "active", from: AT + 60_000, to: AT + 90_000 },
    ]);
    expect(bars.map(({ label }) => label)).toEqual(["by a", "by b, goes on", "waited", "held"]);
    expect(bars.filter(({ classes }) => classes.includes("crit"))).toEqual([]);
    for (const { width } of bars) expect(width).toBeGreaterThan(10);
    expect(bars[1]?.width).toBeGreaterThan(bars[0]?.width as number);
  });

  test("a lost hold is drawn red", async () => {
    const bars = await drawn([
      { section: "This job", label: "held", style: "crit", from: AT, to: AT + 60_000 },
    ]);
    expect(bars).toMatchObject([{ label: "held", classes: expect.stringContaining("crit") }]);
  });
});
