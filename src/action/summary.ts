import type { Released } from "../keeper/client.ts";
import { formatDuration } from "../lock/duration.ts";
import { cutToBytes } from "../lock/text.ts";
import type { State } from "./state.ts";

/** The step summary: a table, and a timeline of who held before, the wait and the hold. */
export function summaryOf(state: State, released: Released, now: number): string {
  const { inputs, outcome } = state;
  const acquired = outcome?.acquired ? outcome : null;
  const rows: [string, string][] = [
    ["Key", code(inputs.key)],
    ["Outcome", outcomeText(state, released)],
    ["Waited", formatDuration(outcome?.waited ?? 0)],
  ];
  if (outcome?.acquired === false) rows.push(["Why", escaped(outcome.reason)]);
  if (acquired !== null) {
    rows.push(["Held for", formatDuration(Math.max(0, now - Date.parse(acquired.since)))]);
    if (acquired.fence !== null) rows.push(["Fence", String(acquired.fence)]);
    rows.push(["Ahead", acquired.ahead.map(({ owner }) => code(owner)).join(", ") || "nobody"]);
  }
  rows.push(["Owner", code(state.owner)], ["Store", code(state.store)]);
  const table = rows.map(([name, value]) => `| ${name} | ${value} |`).join("\n");
  const timeline =
    acquired === null ? "" : `\n${gantt(state, acquired.since, acquired.ahead, now)}\n`;
  return `### Holdfast\n\n| | |\n|---|---|\n${table}\n${timeline}\n`;
}

function outcomeText(state: State, released: Released): string {
  if (!state.outcome?.acquired) return "not acquired";
  if (released.outcome === "lost") return "**lost**";
  return released.outcome === "already-gone" ? "let go early" : "let go";
}

/** A sentence in a table cell: it quotes what others wrote, so nothing of it may be Markdown or HTML. */
function escaped(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[\\`*_{}[\]<>()#+!|~&-]/g, "\\$&");
}

/** As inline code in a table cell: nothing in a name may close the cell, the code or the line. */
function code(text: string): string {
  const plain = text.replace(/[\r\n]+/g, " ").replaceAll("|", "\\|");
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${longest > 0 ? ` ${plain} ` : plain}${fence}`;
}

function gantt(
  state: State,
  since: string,
  ahead: readonly { owner: string; since: string | null }[],
  now: number,
): string {
  const acquired = Date.parse(since);
  const bars = [
    ...ahead.flatMap((holder) =>
      holder.since === null
        ? []
        : [["Before", label(holder.owner), "done", Date.parse(holder.since), acquired] as const],
    ),
    ["This job", "waited", "active", Math.min(state.started, acquired), acquired] as const,
    ["This job", "held", "crit", acquired, now] as const,
  ];
  const lines = ["```mermaid", "gantt", "  dateFormat x", "  axisFormat %H:%M:%S"];
  let section = "";
  for (const [name, text, style, from, to] of bars) {
    if (name !== section) lines.push(`  section ${name}`);
    section = name;
    lines.push(`  ${text} :${style}, ${from}, ${Math.max(to, from + 1)}`);
  }
  return [...lines, "```"].join("\n");
}

/** Mermaid's grammar has no quoting: only harmless characters of a name stay. */
function label(text: string): string {
  return cutToBytes(text.replace(/[^\p{L}\p{N}@._/-]+/gu, " ").trim(), 60) || "unnamed";
}
