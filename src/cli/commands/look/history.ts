import { toTheSecond } from "../../../forecast/words.ts";
import { formatDuration } from "../../../lock/duration.ts";
import { LockError } from "../../../lock/errors.ts";
import { type Hold, type Statistics, statisticsOf } from "../../../lock/history.ts";
import { counted } from "../../../lock/people/names.ts";
import { whoIs } from "../../../lock/people/who.ts";
import { jsonText, quote } from "../../../lock/text.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { withStore } from "../../context.ts";
import { lineName } from "../../output.ts";
import { aligned, type Cell, type Screen, screenOf } from "../../screen.ts";

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
    else if (!input.quiet) io.stdout.write(historyText(found, screenOf(io.stdout, io.env)));
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

export function historyText({ key, store, holds }: Found, screen: Screen): string {
  const summary = `${lineName(key)} in ${store}: ${summaryOf(holds.length, statisticsOf(holds))}`;
  const head = HEADER.map((text): Cell => ({ text, colour: "dim" }));
  const rows = holds.length === 0 ? [] : [head, ...holds.map(rowOf)];
  return aligned([[{ text: summary }]], screen) + aligned(rows, screen, 2);
}

function summaryOf(count: number, statistics: Statistics | null): string {
  if (count === 0) return "no hold is remembered";
  const holds = counted(count, "hold");
  if (statistics === null) return `${holds}, none of them released`;
  const of = statistics.holds === count ? "" : ` (of ${statistics.holds} released)`;
  return `${holds}, median ${formatDuration(statistics.median)}, 90 % within ${formatDuration(statistics.ninety)}${of}`;
}

const HEADER = ["since", "waited", "held", "end", "who"];

function rowOf(hold: Hold): Cell[] {
  const { since, waited, held, end, reason, by } = hold;
  const who = by === undefined ? "" : ` by ${by}`;
  const why = reason === undefined ? "" : `: ${reason}`;
  const what = hold.resources === undefined ? "" : ` on ${hold.resources.join(", ")}`;
  const name = `${whoIs(hold)}${what}`;
  return [
    { text: toTheSecond(since) },
    { text: waited === null ? "?" : formatDuration(waited) },
    { text: formatDuration(held) },
    end === "released" ? { text: end } : { text: end, colour: "red" },
    // The last column, since its text may be long.
    { text: who === "" && why === "" ? name : `${name}, ${end}${who}${why}` },
  ];
}
