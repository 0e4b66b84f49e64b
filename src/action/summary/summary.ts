import { frozenInLine, toTheSecond } from "../../forecast/words.ts";
import type { Released } from "../../keeper/client/release.ts";
import { formatDuration } from "../../lock/duration.ts";
import { type Hold, statisticsOf } from "../../lock/history.ts";
import { whoIs } from "../../lock/people/who.ts";
import type { Outcome, State } from "../state.ts";
import { type Bar, code, escaped, gantt, harmless, link, linked, table } from "./markdown.ts";

/** How a job's hold ended: it was released, lost, or left to the run. */
export type Ending = Released | { readonly outcome: "left"; readonly log: readonly string[] };

type Acquired = Extract<Outcome, { acquired: true }>;

/** The step summary: a table, the picture of the queue, and the holds before this one. */
export function summaryOf(state: State, ending: Ending, now: number): string {
  const { outcome } = state;
  const acquired = outcome?.acquired ? outcome : null;
  const past = "holds" in ending ? (ending.holds ?? []) : [];
  const before = acquired === null ? [] : holdsBefore(past, acquired);
  const parts = [
    "### Holdfast",
    table(["", ""], [...rowsOf(state, ending, now), ...usually(before)]),
  ];
  const isLost = ending.outcome === "lost";
  if (acquired !== null) parts.push(gantt(barsOf(state, acquired, before, isLost, now)));
  if (before.length > 0) parts.push(pastTable(before));
  return `${parts.join("\n\n")}\n\n`;
}

function rowsOf(state: State, ending: Ending, now: number): [string, string][] {
  const { inputs, outcome } = state;
  const rows: [string, string][] = [
    [inputs.keys.length === 1 ? "Key" : "Keys", inputs.keys.map(code).join(", ")],
    ["Outcome", outcomeText(state, ending)],
    ["Waited", waitedText(outcome)],
  ];
  if (outcome?.acquired === false && outcome.newer === null)
    rows.push(["Why", escaped(outcome.reason)]);
  if (outcome?.acquired && ending.outcome === "lost") rows.push(["Why", escaped(ending.reason)]);
  if (outcome?.acquired) rows.push(...heldRows(outcome, now));
  return [...rows, ["Owner", code(state.owner)], ["Store", code(state.store)]];
}

function heldRows(outcome: Acquired, now: number): [string, string][] {
  const { since, fences, resources, ahead, frozen } = outcome;
  const known = Object.entries(fences).filter(([, fence]) => fence !== null);
  const named = Object.keys(fences).length > 1;
  const fence = known.map(([key, number]) => (named ? `${number} of ${code(key)}` : `${number}`));
  return [
    ...(resources === null
      ? []
      : [["Resource", resources.map(code).join(", ")] as [string, string]]),
    ["Held for", formatDuration(Math.max(0, now - Date.parse(since)))],
    ...(known.length === 0 ? [] : [["Fence", fence.join(", ")] as [string, string]]),
    ...(frozen === null
      ? []
      : [["While waiting", escaped(frozenInLine(frozen))] as [string, string]]),
    ["Ahead", ahead.map(({ name, url }) => link(name, url)).join(", ") || "nobody"],
  ];
}

function outcomeText({ outcome }: State, ending: Ending): string {
  if (!outcome?.acquired) return outcome?.newer ? supersededText(outcome.newer) : "not acquired";
  if (ending.outcome === "lost") return "**lost**";
  if (ending.outcome === "left" && outcome.until !== null)
    return `stays with the run, until ${toTheSecond(outcome.until)} at the latest`;
  return ending.outcome === "already-gone" ? "released early" : "released";
}

/** `superseded by #813`, with a link to that run. */
function supersededText({ by, url }: { by: string; url: string | null }): string {
  const number = /\/(\d+)\/?$/.exec(url ?? "")?.[1];
  return `superseded by ${number === undefined ? link(by, url) : linked(`#${number}`, url)}`;
}

function waitedText(outcome: Outcome | null): string {
  const waited = formatDuration(outcome?.waited ?? 0);
  if (!outcome?.acquired || outcome.expected === null) return waited;
  return `${waited} (the first estimate was: ${escaped(outcome.expected)})`;
}

/** Newest first, as they come. This job's own hold may be among them by now. */
function holdsBefore(holds: readonly Hold[], { since, fence }: Acquired): Hold[] {
  return holds.filter(
    (hold) => (hold.fence === null || hold.fence !== fence) && hold.since < since,
  );
}

/** How many holds are needed to say what is usual. */
const USUAL_HOLDS = 3;

function usually(before: readonly Hold[]): [string, string][] {
  const statistics = statisticsOf(before);
  if (statistics === null || statistics.holds < USUAL_HOLDS) return [];
  const { median, ninety, holds } = statistics;
  const text = `${formatDuration(median)}, 90 % within ${formatDuration(ninety)} (in ${holds} holds before)`;
  return [["Usually held", text]];
}

/** How many holds the picture shows: with more, the bars become too small. */
const BARS_BEFORE = 8;
/** How far back the picture goes: three times what this job took, and at least ten minutes. */
const BACK_TIMES = 3;
const BACK_LEAST_MS = 600_000;
/** A shorter wait is not shown: it was only the store's own work. */
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
    return from + hold.held < back ? [] : [barBefore(whoIs(hold), style, from, from + hold.held)];
  });
  // If a hold is not in the history, only its beginning is known. With one slot it ended before this
  // job's turn; with several it may go on.
  const seen = acquired.ahead.flatMap(({ owner, name, since: begin, fence }): Bar[] => {
    if (begin === null || before.some((hold) => hold.owner === owner && hold.fence === fence))
      return [];
    const bar = barBefore(name, "done", Date.parse(begin), since);
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

function barBefore(name: string, style: Bar["style"], from: number, to: number): Bar {
  return { section: "Before", label: `by ${harmless(name)}`, style, from, to };
}

const ROWS_BEFORE = 5;

function pastTable(before: readonly Hold[]): string {
  const rows = before.slice(0, ROWS_BEFORE).map((hold) => {
    const { since, waited, held, end, metadata, resources } = hold;
    const names = resources === undefined ? "" : ` on ${code(resources.join(", "))}`;
    return [
      `${link(whoIs(hold), metadata.run_url)}${names}`,
      // ISO 8601, to the second.
      `${since.slice(0, 19)}Z`,
      waited === null ? "" : formatDuration(waited),
      formatDuration(held),
      end,
    ];
  });
  return table(["Held before by", "since", "waited", "held", "end"], rows);
}
