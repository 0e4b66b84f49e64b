/** The step summary of a job that waited for its turn, as GitHub shows it. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { parseInputs } from "../../src/action/inputs.ts";
import { summaryOf } from "../../src/action/summary/summary.ts";
import { runUrlOf } from "../../src/forecast/words.ts";
import type { Hold } from "../../src/lock/history.ts";
import { whoIs } from "../../src/lock/people/who.ts";

const MINUTE = 60_000;
const NOW = Date.parse("2026-11-16T10:24:10.000Z");
const STORE = "https://github.com/acme/shop.git";

function iso(minutesAgo: number): string {
  return new Date(NOW - minutesAgo * MINUTE).toISOString();
}

function hold(run: number, minutesAgo: number, minutes: number, waited: number): Hold {
  return {
    owner: `ci-github-${run}-1-deploy`,
    since: iso(minutesAgo),
    held: minutes * MINUTE,
    waited: waited * MINUTE,
    fence: 1_763_287_200_000_000 + run,
    slot: 0,
    metadata: {
      ci_system: "github",
      workflow: "Deploy",
      run_id: String(run),
      run_number: String(Math.round((run - 98_000) / 3)),
      run_attempt: "1",
      job: "deploy",
      ref: "refs/heads/main",
      repository: "acme/shop",
      actor: run % 2 === 0 ? "maria" : "tom",
      run_url: `https://github.com/acme/shop/actions/runs/${run}`,
    },
    end: run === 98_722 ? "broken" : "released",
  };
}

const last = hold(98_728, 16.2, 6.1, 2.4);
const holds = [
  last,
  hold(98_725, 22.4, 5.2, 0.05),
  hold(98_722, 31, 7.4, 1.1),
  hold(98_719, 76, 4.9, 0.1),
  hold(98_716, 130, 5.6, 0.8),
];

const ahead = {
  owner: last.owner,
  since: last.since,
  fence: last.fence,
  name: whoIs(last),
  url: runUrlOf(last),
};
const text = summaryOf(
  {
    inputs: parseInputs((name) => (name === "key" ? "production" : ""), {}),
    owner: "ci-github-98731-1-deploy",
    store: `git+${STORE}`,
    leaseFile: "",
    keeper: null,
    started: NOW - 14.5 * MINUTE,
    outcome: {
      acquired: true,
      fence: 1_763_287_200_098_731,
      fences: { production: 1_763_287_200_098_731 },
      slot: 0,
      resources: null,
      until: null,
      frozen: null,
      waited: 4.5 * MINUTE,
      since: iso(10),
      ahead: [ahead],
      expected: "in about 3 to 6 min",
    },
  },
  { outcome: "released", log: [], holds },
  NOW,
);

/** As much Markdown as a summary is written in: a heading, tables, and one picture. */
function toHtml(markdown: string): string {
  return markdown
    .trim()
    .split("\n\n")
    .map((part) => {
      if (part.startsWith("### ")) return `<h3>${inline(part.slice(4))}</h3>`;
      if (part.startsWith("```mermaid"))
        return `<pre class="mermaid">${part.split("\n").slice(1, -1).join("\n")}</pre>`;
      const rows = part.split("\n").map((line) => line.slice(2, -2).split(" | "));
      const [head = [], , ...body] = rows;
      const row = (cells: readonly string[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${inline(cell)}</${tag}>`).join("")}</tr>`;
      return `<table>${row(head, "th")}${body.map((cells) => row(cells, "td")).join("")}</table>`;
    })
    .join("\n");
}

function inline(cell: string): string {
  return cell
    .replace(/[&<]/g, (sign) => (sign === "&" ? "&amp;" : "&lt;"))
    .replace(/\[`([^`]+)`\]\(([^)]+)\)/g, '<a href="$2"><code>$1</code></a>')
    .replace(/`([^`]+)`/g, "<code>$1</code>")
    .replace(/\*\*([^*]+)\*\*/g, "<b>$1</b>");
}

const STYLE = `
  body { margin: 0; padding: 20px 24px; width: 1032px; font: 14px/1.5 system-ui, sans-serif;
    background: light-dark(#fff, #0d1117); color: light-dark(#1f2328, #f0f6fc); }
  h3 { margin: 0 0 12px; font-size: 18px; }
  table { border-collapse: collapse; margin: 0 0 16px; }
  th, td { padding: 5px 12px; border: 1px solid light-dark(#d1d9e0, #3d444d); text-align: left; }
  tr:nth-child(2n + 1) td { background: light-dark(#f6f8fa, #151b23); }
  th:empty { padding: 0; border: 0; }
  code { font: 12px ui-monospace, monospace; padding: 2px 5px; border-radius: 6px;
    background: light-dark(#eff1f3, #262c36); }
  a { color: light-dark(#0969da, #4493f8); }
  .mermaid { margin: 0 0 16px; }`;

const MERMAID = readFileSync(
  createRequire(import.meta.url).resolve("mermaid/dist/mermaid.min.js"),
  "utf8",
);

/** Shows the summary in a tab of a browser, and makes the tab as high as it is. */
export async function showSummary(tab: Page, scheme: "light" | "dark"): Promise<void> {
  await tab.setViewportSize({ width: 1080, height: 800 });
  await tab.setContent(
    `<!doctype html><meta name="color-scheme" content="${scheme}"><style>:root { color-scheme: ${scheme} }${STYLE}</style>${toHtml(text)}`,
  );
  await tab.addScriptTag({ content: MERMAID });
  const theme = scheme === "dark" ? "dark" : "default";
  await tab.evaluate(`(async () => {
    mermaid.initialize({ startOnLoad: false, theme: "${theme}", gantt: { useWidth: 912 } });
    await mermaid.run();
  })()`);
  await tab.locator(".mermaid svg rect.task").first().waitFor();
  const height = await tab.evaluate<number>(
    "Math.ceil(document.body.getBoundingClientRect().height)",
  );
  await tab.setViewportSize({ width: 1080, height });
}
