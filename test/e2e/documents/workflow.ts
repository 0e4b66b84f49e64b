import type { Step } from "../runner/job.ts";
import { type Mapping, readYaml } from "../runner/language/yaml.ts";
import { ACTION } from "../scene.ts";

/**
 * The steps of the one job of a workflow that a document shows, for the stand-in runner. A checkout
 * is left out: the test has put its files there. `change`: what is different here, such as secrets.
 */
export function stepsOf(
  workflow: string,
  change: (text: string) => string = (text) => text,
): Step[] {
  const lines = change(workflow).trimEnd().split("\n");
  const from = lines.findIndex((line) => line.trim() === "steps:");
  if (from === -1) throw new Error("the workflow has no steps");
  const indent = `${/^ */.exec(lines[from] as string)?.[0]}  `;
  const items: string[] = [];
  for (const line of lines.slice(from + 1)) {
    if (line.startsWith(`${indent}- `)) items.push(line.replace("- ", "  "));
    else if (line.startsWith(`${indent} `)) items.push(`${items.pop()}\n${line}`);
    else throw new Error(`a line that is no step: ${line}`);
  }
  return items.map(readYaml).flatMap((item, index) => stepOf(item, index));
}

/** The name of a step that has no id: what it runs, without its dots. */
function nameOf(run: string, index: number): string {
  return /(\w[\w-]*)/.exec(run)?.[1] ?? `step-${index}`;
}

function stepOf(item: Mapping, index: number): Step[] {
  const { id, uses, run, if: condition, with: inputs, ...unknown } = item;
  if (Object.keys(unknown).length > 0) throw new Error(`unknown: ${Object.keys(unknown)}`);
  const more = typeof condition === "string" ? { if: condition } : {};
  if (typeof uses === "string") {
    if (uses.startsWith("actions/checkout@")) return [];
    if (uses !== "holdfast-ci/holdfast@v1") throw new Error(`an action that is not here: ${uses}`);
    const given = { with: (inputs ?? {}) as Record<string, string> };
    return [{ id: typeof id === "string" ? id : "lock", uses: ACTION, ...given, ...more }];
  }
  if (typeof run !== "string") throw new Error("a step that does nothing");
  const name = typeof id === "string" ? id : nameOf(run, index);
  return [{ id: name, run: ["/bin/bash", "-e", "-c", run], ...more }];
}
