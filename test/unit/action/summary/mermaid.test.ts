import mermaid from "mermaid";
import { describe, expect, test } from "vitest";
import { type Bar, gantt, harmless } from "../../../../src/action/summary/markdown.ts";

const AT = Date.parse("2026-11-16T10:00:00.000Z");

/** The timeline of a job behind somebody of that name, without the fence around it. */
function timeline(name: string): string {
  const bars: Bar[] = [
    { section: "Before", label: `by ${harmless(name)}`, style: "done", from: AT, to: AT + 60_000 },
    { section: "This job", label: "waited", style: "active", from: AT, to: AT + 60_000 },
    { section: "This job", label: "held", style: "crit", from: AT + 60_000, to: AT + 90_000 },
  ];
  const lines = gantt(bars).split("\n");
  expect(lines[0]).toBe("```mermaid");
  expect(lines.at(-1)).toBe("```");
  return lines.slice(1, -1).join("\n");
}

interface Task {
  readonly task: string;
  readonly section: string;
  readonly startTime: Date;
  readonly endTime: Date;
}

/** What Mermaid itself makes of a text: throws where its grammar does not accept it. */
async function tasksOf(text: string): Promise<Task[]> {
  const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
  return (diagram.db as unknown as { getTasks(): Task[] }).getTasks();
}

const NAMES: [string, string][] = [
  ["a usual owner", "ci-github-456-1-deploy"],
  ["quotes", `"a" 'b' \`c\``],
  ["colons", "a : b :: done, 0, 1"],
  ["HTML", "<script>alert(1)</script><b onclick=x>&lt;&#39;"],
  ["line ends", "a\nsection evil\r\nb :crit, 0, 1\u2028c\u0085d"],
  ["comments and directives", "%% x %%{init: {'theme':'dark'}}%%"],
  ["semicolons and entities", "a; b #35; #quot; ;click x call y()"],
  ["a section's word", "section evil"],
  ["a title's word", "title evil"],
  ["a click", 'click a href "https://example.test"'],
  ["front matter", "---\nconfig:\n  theme: dark\n---"],
  ["a fence", "```\n\n# out"],
  ["braces", "{a} [b] (c) accTitle: x accDescr { y }"],
  ["other scripts", "größe-発表-مرحبا 🚀"],
  ["marks of direction", "a\u202eb\u200f"],
  ["nothing that can stay", ":;#%<>"],
  ["a long name", "x".repeat(500)],
];

describe("Mermaid's own parser accepts the timeline, and finds three bars in it, after", () => {
  test.each(NAMES)("%s", async (_, name) => {
    const text = timeline(name);
    expect(await mermaid.parse(text)).toMatchObject({ diagramType: "gantt" });
    const tasks = await tasksOf(text);
    expect(tasks.map(({ task, section }) => [section, task.trim()])).toEqual([
      ["Before", `by ${harmless(name)}`],
      ["This job", "waited"],
      ["This job", "held"],
    ]);
    expect(tasks[2]?.startTime.getTime()).toBe(AT + 60_000);
    expect(tasks[2]?.endTime.getTime()).toBe(AT + 90_000);
  });
});

test("the parser would notice: a name as it is breaks out", async () => {
  const name = "x :done, 0, 1\n  section evil\n  y";
  const sections = (await tasksOf(timeline("NAME").replace("NAME", name))).map(
    ({ section }) => section,
  );
  expect(sections).toContain("evil");
  const text = timeline("NAME").replace("by NAME", "a : b");
  await expect(tasksOf(text).then((tasks) => tasks[0]?.task.trim())).resolves.not.toBe("a : b");
});
