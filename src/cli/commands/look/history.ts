import { formatDuration } from "../../../lock/duration.ts";
import { LockError } from "../../../lock/errors.ts";
import { type Hold, type Statistics, statisticsOf } from "../../../lock/history.ts";
import { jsonText, quote, showable } from "../../../lock/text.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { withStore } from "../../context.ts";
import { lineName } from "../../output.ts";

const DEFAULT_LIMIT = 20;
const LIMIT = 1_000;

export const historyCommand: Command = {
  name: "history",
  summary: "Shows who held a key lately, for how long, and how that ended",
  usage: "KEY [--limit N]",
  about: [
    "The newest hold comes first. Median and 90 % are of the holds that were released: one that was broken or whose holder died lasted until that was noticed.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  options: [
    {
      name: "limit",
      value: "N",
      says: "show at most N holds; a store may remember only the last 50 of a key",
      default: String(DEFAULT_LIMIT),
    },
  ],
  examples: [
    { line: "holdfast history production", says: "who deployed lately, and how long it took" },
    {
      line: "holdfast history production --limit 50 --json",
      says: "for a script; times in seconds",
    },
  ],
  exitCodes: [
    ["0", "shown, also where there is none yet"],
    ["2", "bad input or failure, or the store remembers nothing"],
  ],
  async act(input, io) {
    const limit = limitOf(input);
    const found = await withStore(input, io, {}, async (store) => {
      if (store.history === undefined) {
        throw new LockError(
          "NOT_SUPPORTED",
          `The store ${store.url} keeps no history: use a lock directory or a server of Holdfast's own.`,
        );
      }
      const key = store.keyOf(input.key);
      return { key, store: store.url, holds: await store.history(key, { limit }) };
    });
    if (input.json) io.stdout.write(`${jsonText(historyJson(found))}\n`);
    else if (!input.quiet) io.stdout.write(historyText(found));
    return 0;
  },
};

interface Found {
  readonly key: string;
  readonly store: string;
  readonly holds: readonly Hold[];
}

function limitOf(input: Input): number {
  const text = input.text("limit");
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,6}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= LIMIT) return limit;
  throw new LockError(
    "BAD_OPTION",
    `The limit ${quote(text)} is not a whole number from 1 to ${LIMIT}.`,
  );
}

/** Times in seconds, as everywhere in JSON. */
function historyJson({ key, store, holds }: Found) {
  const statistics = statisticsOf(holds);
  return {
    key,
    store,
    released: statistics?.holds ?? 0,
    median: seconds(statistics?.median),
    p90: seconds(statistics?.ninety),
    holds: holds.map((hold) => ({
      ...hold,
      until: new Date(Date.parse(hold.since) + hold.held).toISOString(),
      waited: seconds(hold.waited),
      held: seconds(hold.held),
    })),
  };
}

function seconds(milliseconds: number | null | undefined): number | null {
  return milliseconds == null ? null : Math.round(milliseconds) / 1_000;
}

export function historyText({ key, store, holds }: Found): string {
  const lines = [`${lineName(key)} in ${store}: ${summaryOf(holds.length, statisticsOf(holds))}`];
  if (holds.length > 0) lines.push(...tableOf([HEADER, ...holds.map(rowOf)]));
  return lines.map((line) => `${showable(line)}\n`).join("");
}

function summaryOf(count: number, statistics: Statistics | null): string {
  if (count === 0) return "no hold is remembered";
  const holds = count === 1 ? "1 hold" : `${count} holds`;
  if (statistics === null) return `${holds}, none of them released`;
  const of = statistics.holds === count ? "" : ` (of ${statistics.holds} released)`;
  return `${holds}, median ${formatDuration(statistics.median)}, 90 % within ${formatDuration(statistics.ninety)}${of}`;
}

const HEADER = ["since", "waited", "held", "end", "owner"];

function rowOf({ owner, since, waited, held, end, reason, by }: Hold): string[] {
  const who = by === undefined ? "" : ` by ${by}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  return [
    since,
    waited === null ? "?" : formatDuration(waited),
    formatDuration(held),
    end,
    // Last, since it may be as long as it likes.
    who === "" && why === "" ? owner : `${owner}, ${end}${who}${why}`,
  ];
}

function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = HEADER.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd(),
  );
}
