import { type ForecastStatus, withEstimates } from "../../../forecast/status.ts";
import { isStuck, isUnforeseeable, turnIn } from "../../../forecast/turn.ts";
import { frozenInLine, holdersInList } from "../../../forecast/words.ts";
import { counted } from "../../../lock/people/names.ts";
import { heldSlots } from "../../../lock/status.ts";
import { jsonText } from "../../../lock/text.ts";
import type { Command } from "../../command.ts";
import { withStore } from "../../context.ts";
import { lineName, say } from "../../output.ts";
import { aligned, type Cell, type Screen, screenOf } from "../../screen.ts";

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
    if (input.json) io.stdout.write(`${jsonText({ store: url, keys: found })}\n`);
    else if (!input.quiet) {
      io.stdout.write(listText(found, now, screenOf(io.stdout, io.env)));
      if (found.length === 0) say(io, `nothing is held or waited for in ${url}`);
    }
    return found.some(({ error }) => error !== undefined) ? 1 : 0;
  },
};

export function listText(found: readonly ForecastStatus[], now: number, screen: Screen): string {
  return aligned(
    found.map((status) => [
      { text: lineName(status.key), colour: "bold" },
      markOf(status, now),
      { text: wordsOf(status, now) },
    ]),
    screen,
  );
}

/** What needs a look, in a word: red if somebody has to act, yellow if it may pass by itself. */
function markOf(status: ForecastStatus, now: number): Cell {
  const { holders, estimate, frozen } = status;
  if (holders.some(({ problem }) => problem !== undefined))
    return { text: "broken", colour: "red" };
  if (holders.some(({ alive, command }) => alive === false || command?.alone))
    return { text: "gone", colour: "red" };
  if (holders.some(({ stopped }) => stopped)) return { text: "stopped", colour: "red" };
  if (isStuck(status, now)) return { text: "overdue", colour: "red" };
  if (frozen !== null) return { text: "frozen", colour: "yellow" };
  return estimate?.overdue ? { text: "overdue", colour: "yellow" } : { text: "" };
}

function wordsOf(status: ForecastStatus, now: number): string {
  const { holders, slots, waiting, estimate, frozen } = status;
  if (status.error !== undefined) return `cannot be read: ${status.error.message}`;
  const held = holders.length === 0 ? "free" : `held by ${holdersInList(holders, now, estimate)}`;
  const count = slots > 1 ? `${heldSlots(status)} of ${slots} slots, ` : "";
  const line = waiting > 0 ? `; ${waiting} waiting` : "";
  // A late holder is worth a word, too little past is not.
  const isTold = estimate !== null && (estimate.overdue || !isUnforeseeable(status, now));
  const turn = isTold ? `; turn of a new claim ${turnIn(estimate, holders, now)}` : "";
  const some = status.frozenSlots.length;
  const part = some === 0 ? "" : `; ${counted(some, "slot")} frozen`;
  const freeze = frozen === null ? part : `; ${frozenInLine(frozen)}`;
  return `${count}${held}${freeze}${line}${turn}`;
}
