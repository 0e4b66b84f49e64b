import { type ForecastStatus, withEstimates } from "../../../forecast/status.ts";
import { frozenInLine, holdersInLine, turnIn } from "../../../forecast/words.ts";
import { jsonText, showable } from "../../../lock/text.ts";
import type { Command } from "../../command.ts";
import { withStore } from "../../context.ts";
import { lineName, say } from "../../output.ts";

export const listCommand: Command = {
  name: "list",
  summary: "Lists every key that is held, waited for or frozen",
  usage: "[--all]",
  takes: "nothing",
  options: [{ name: "all", says: "also free keys that the store remembers" }],
  examples: [
    { line: "holdfast list", says: "what is locked on this machine" },
    { line: "holdfast list --json --store ./locks", says: "for a script, in a store of its own" },
  ],
  exitCodes: [
    ["0", "done"],
    ["1", "done, and at least one key cannot be read: its line, or its element's error, says why"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const all = input.flag("all");
    const now = Date.now();
    const { found, url } = await withStore(input, io, {}, async (store) => ({
      found: await withEstimates(store, await store.list({ all }), now),
      url: store.url,
    }));
    if (input.json) io.stdout.write(`${jsonText(found)}\n`);
    else if (!input.quiet) {
      io.stdout.write(listText(found, now));
      if (found.length === 0) say(io, `nothing is held or waited for in ${url}`);
    }
    return found.some(({ error }) => error !== undefined) ? 1 : 0;
  },
};

/** Keys beyond this do not push the other columns out of sight. */
const KEY_COLUMNS = 40;

export function listText(found: readonly ForecastStatus[], now: number): string {
  const width = Math.min(KEY_COLUMNS, Math.max(0, ...found.map(({ key }) => lineName(key).length)));
  return found.map((status) => `${showable(lineOf(status, width, now))}\n`).join("");
}

function lineOf(status: ForecastStatus, width: number, now: number): string {
  const { holders, slots, waiting, estimate, frozen } = status;
  if (status.error !== undefined)
    return `${lineName(status.key).padEnd(width)}  cannot be read: ${status.error.message}`;
  const held = holders.length === 0 ? "free" : `held by ${holdersInLine(holders, now, estimate)}`;
  const count = slots > 1 ? `${holders.length} of ${slots} slots, ` : "";
  const line = waiting > 0 ? `; ${waiting} waiting` : "";
  const turn = estimate === null ? "" : `; turn of a new claim ${turnIn(estimate, holders, now)}`;
  const freeze = frozen === null ? "" : `; ${frozenInLine(frozen)}`;
  return `${lineName(status.key).padEnd(width)}  ${count}${held}${freeze}${line}${turn}`;
}
