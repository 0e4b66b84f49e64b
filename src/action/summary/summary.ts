import { formatRange } from "../../forecast/words.ts";
import type { Released } from "../../keeper/client/release.ts";
import { formatDuration } from "../../lock/duration.ts";
import { type Hold, statisticsOf } from "../../lock/history.ts";
import type { Outcome, State } from "../state.ts";
import { type Bar, code, escaped, gantt, harmless, link, table } from "./markdown.ts";

type Acquired = Extract<Outcome, { acquired: true }>;

/** The step summary: a table, the picture of the queue, and the holds before this one. */
export function summaryOf(state: State, released: Released, now: number): string {
  const { outcome } = state;
  const acquired = outcome?.acquired ? outcome : null;
  const before = acquired === null ? [] : holdsBefore(released.holds ?? [], acquired);
  const parts = [
    "### Holdfast",
    table(["", ""], [...rowsOf(state, released, now), ...usually(before)]),
  ];
  const isLost = released.outcome === "lost";
  if (acquired !== null) parts.push(gantt(barsOf(state, acquired, before, isLost, now)));
  if (before.length > 0) parts.push(pastTable(before));
  return `${parts.join("\n\n")}\n\n`;
}

function rowsOf(state: State, released: Released, now: number): [string, string][] {
  const { inputs, outcome } = state;
  const rows: [string, string][] = [
    ["Key", code(inputs.key)],
    ["Outcome", outcomeText(state, released)],
    ["Waited", waitedText(outcome)],
  ];
  if (outcome?.acquired === false) rows.push(["Why", escaped(outcome.reason)]);
  if (outcome?.acquired && released.outcome === "lost")
    rows.push(["Why", escaped(released.reason)]);
  if (outcome?.acquired) {
    rows.push(["Held for", formatDuration(Math.max(0, now - Date.parse(outcome.since)))]);
    if (outcome.fence !== null) rows.push(["Fence", String(outcome.fence)]);
    rows.push(["Ahead", outcome.ahead.map(({ owner }) => code(owner)).join(", ") || "nobody"]);
  }
  return [...rows, ["Owner", code(state.owner)], ["Store", code(state.store)]];
}

function outcomeText(state: State, released: Released): string {
  if (!state.outcome?.acquired) return "not acquired";
  if (released.outcome === "lost") return "**lost**";
  return released.outcome === "already-gone" ? "released early" : "released";
}

function waitedText(outcome: Outcome | null): string {
  const waited = formatDuration(outcome?.waited ?? 0);
  if (!outcome?.acquired || outcome.expected === null) return waited;
  const { lower, upper } = outcome.expected;
  return `${waited} (the first estimate was: ${formatRange(lower, upper)})`;
}

/** Newest first, as they come. This job's own hold may be among them by now. */
function holdsBefore(holds: readonly Hold[], { since, fence }: Acquired): Hold[] {
  return holds.filter(
    (hold) => (hold.fence === null || hold.fence !== fence) && hold.since < since,
  );
}

/** Fewer holds say nothing about what is usual. */
const USUAL_HOLDS = 3;

function usually(before: readonly Hold[]): [string, string][] {
  const statistics = statisticsOf(before);
  if (statistics === null || statistics.holds < USUAL_HOLDS) return [];
  const { median, ninety, holds } = statistics;
  const text = `${formatDuration(median)}, 90 % within ${formatDuration(ninety)} (in ${holds} holds before)`;
  return [["Usually held", text]];
}

/** More of them would only squeeze the rest of the picture. */
const BARS_BEFORE = 8;
/** How far back the picture goes: three times what this job took, and at least ten minutes. */
const BACK_TIMES = 3;
const BACK_LEAST_MS = 600_000;
/** A shorter wait was only the store's own work, and would be a stray line in the picture. */
const WAIT_LEAST_MS = 1_000;

function barsOf(
  state: State,
  acquired: Acquired,
  before: readonly Hold[],
  isLost: boolean,
  now: number,
): Bar[] {
  const since = Date.parse(acquired.since);
  const started = Math.min(state.started, since);
  const back = started - Math.max(BACK_LEAST_MS, BACK_TIMES * (now - started));
  const known = before.flatMap((hold): Bar[] => {
    const from = Date.parse(hold.since);
    const style = hold.end === "released" ? "done" : "crit";
    return from + hold.held < back ? [] : [barBefore(hold.owner, style, from, from + hold.held)];
  });
  // Of a hold that is no history only its beginning was seen. With one slot it ended before this
  // job's turn; with several it may go on.
  const seen = acquired.ahead.flatMap(({ owner, since: begin, fence }): Bar[] => {
    if (begin === null || before.some((hold) => hold.owner === owner && hold.fence === fence))
      return [];
    const bar = barBefore(owner, "done", Date.parse(begin), since);
    if (state.inputs.slots === 1) return [bar];
    return [{ ...bar, label: `${bar.label}, goes on`, style: "active", to: now }];
  });
  const past = [...known, ...seen].sort((one, other) => one.from - other.from);
  const section = "This job";
  const waited: Bar = { section, label: "waited", style: "done", from: started, to: since };
  const style = isLost ? "crit" : "active";
  return [
    ...past.slice(-BARS_BEFORE),
    ...(since - started < WAIT_LEAST_MS ? [] : [waited]),
    { section, label: "held", style, from: since, to: now },
  ];
}

function barBefore(owner: string, style: Bar["style"], from: number, to: number): Bar {
  return { section: "Before", label: `by ${harmless(owner)}`, style, from, to };
}

const ROWS_BEFORE = 5;

function pastTable(before: readonly Hold[]): string {
  const rows = before.slice(0, ROWS_BEFORE).map(({ owner, since, waited, held, end, metadata }) => [
    link(owner, metadata.run_url),
    // ISO 8601, to the second.
    `${since.slice(0, 19)}Z`,
    waited === null ? "" : formatDuration(waited),
    formatDuration(held),
    end,
  ]);
  return table(["Held before by", "since", "waited", "held", "end"], rows);
}
