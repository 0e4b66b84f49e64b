import { cutToBytes } from "../../lock/text.ts";

/**
 * A sentence in a table cell. It quotes what others wrote, so no part of it may act as Markdown or HTML.
 * Addresses become links, since escaping would break them.
 */
export function escaped(text: string): string {
  return text
    .replace(/[\r\n]+/g, " ")
    .split(/(https?:\/\/[\w.:@/?=&%+~-]*[\w/])/)
    .map((part, index) =>
      index % 2 === 1 ? `<${part}>` : part.replace(/[\\`*_{}[\]<>()#+!|~&-]/g, "\\$&"),
    )
    .join("");
}

/** A name as inline code in a table cell: nothing in it may close the cell, the code or the line. */
export function code(text: string): string {
  const plain = text.replace(/[\r\n]+/g, " ").replaceAll("|", "\\|");
  let fence = "`";
  while (plain.includes(fence)) fence += "`";
  return fence === "`" ? `\`${plain}\`` : `${fence} ${plain} ${fence}`;
}

/** Links only to what is plainly an address; of anything else only the name is shown. */
export function link(name: string, url: unknown): string {
  return linked(code(name), url);
}

/** The same for what is Markdown already. */
export function linked(markdown: string, url: unknown): string {
  const isPlain = typeof url === "string" && /^https?:\/\/[\w.:@/?=&%+~-]+$/.test(url);
  return isPlain ? `[${markdown}](${url})` : markdown;
}

export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = `|${header.map(() => "---").join("|")}|`;
  return [line(header), rule, ...rows.map(line)].join("\n");
}

/** One bar of a timeline. Times in milliseconds since the epoch. */
export interface Bar {
  readonly section: string;
  readonly label: string;
  readonly style: "done" | "active" | "crit";
  readonly from: number;
  readonly to: number;
}

/** A Mermaid gantt. Sections and labels must be harmless: see `harmless`. */
export function gantt(bars: readonly Bar[]): string {
  const lines = ["```mermaid", "gantt", "  dateFormat x", "  axisFormat %H:%M:%S"];
  let open = "";
  for (const { section, label, style, from, to } of bars) {
    if (section !== open) lines.push(`  section ${section}`);
    open = section;
    lines.push(`  ${label} :${style}, ${from}, ${Math.max(to, from + 1)}`);
  }
  return [...lines, "```"].join("\n");
}

/**
 * Mermaid's grammar has no quoting: only harmless characters of a name stay. A name must not begin
 * a line by itself either, where `section` and `click` are commands: callers put a word before it.
 */
export function harmless(text: string): string {
  return cutToBytes(text.replace(/[^\p{L}\p{N}@._/-]+/gu, " ").trim(), 60) || "unnamed";
}
