import { type ForecastStatus, withEstimate } from "../../../forecast/status.ts";
import { isStuck, isUnforeseeable, rangeOf, turnIn, usualOf } from "../../../forecast/turn.ts";
import {
  ago,
  frozenInLine,
  frozenName,
  runUrlOf,
  stateOf,
  toTheSecond,
} from "../../../forecast/words.ts";
import { formatAge, formatDuration } from "../../../lock/duration.ts";
import { parseLocalOwnerId } from "../../../lock/owner.ts";
import { whoIs } from "../../../lock/people/who.ts";
import { type Holder, heldSlots, type KeyStatus, stoppedProcess } from "../../../lock/status.ts";
import { jsonText, shellWord } from "../../../lock/text.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { commandFor, withStore } from "../../context.ts";
import { lineName } from "../../output.ts";
import { aligned, type Cell, type Colour, type Screen, screenOf } from "../../screen.ts";

export const statusCommand: Command = {
  name: "status",
  summary: "Shows who holds a key and who waits for it, and changes nothing",
  usage: "KEY [--exit-code]",
  about: [
    "A dead holder is shown as gone until somebody takes the lock over. In a job or under a run that holds a lock, KEY may be left out: it is that one.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  knowsOwnKey: true,
  options: [
    {
      name: "exit-code",
      says: "exit 1 where the key is held or frozen, 0 where a claim would get it at once",
    },
  ],
  examples: [
    { line: "holdfast status production", says: "who holds it, since when, who waits" },
    { line: "holdfast status production --quiet --exit-code && echo free", says: "in a script" },
  ],
  exitCodes: [
    ["0", "shown; with --exit-code: a claim would get it at once"],
    ["1", "with --exit-code: it is held or frozen"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const now = Date.now();
    const status = await withStore(input, io, {}, async (store) =>
      withEstimate(store, await store.inspect(input.key), now),
    );
    if (input.json) io.stdout.write(`${jsonText(status)}\n`);
    else if (!input.quiet)
      io.stdout.write(statusText(status, input, now, screenOf(io.stdout, io.env)));
    return input.flag("exit-code") && !isFree(status) ? 1 : 0;
  },
};

export function statusText(
  status: ForecastStatus,
  input: Pick<Input, "store" | "storeWasNamed">,
  now: number,
  screen: Screen,
): string {
  const { estimate, frozen } = status;
  const parts = [
    aligned(
      [[{ text: `${lineName(status.key)} in ${status.store}: ${summaryOf(status)}` }]],
      screen,
    ),
  ];
  /** A separate line; indented further if it belongs to the line above. */
  const tell = (indent: number, text: string, colour?: Colour) =>
    parts.push(aligned([[colour === undefined ? { text } : { text, colour }]], screen, indent));
  /** A command to copy is one line: what we broke would be two commands when it is pasted. */
  const advise = (text: string) =>
    parts.push(aligned([[{ text, colour: "yellow" }]], { ...screen, columns: null }, 4));
  if (frozen !== null) {
    tell(2, frozenInLine(frozen), "yellow");
    parts.push(factLines([["since", sinceOf(frozen.since, now)]], screen));
    advise(`To end it: ${commandFor("thaw", status.key, input)}`);
  }
  for (const freeze of status.frozenSlots) {
    tell(2, `${frozenName(freeze, status.resources)} is ${frozenInLine(freeze)}`, "yellow");
    const { slot, resource } = freeze;
    const only = resource === undefined ? ` --slot ${slot}` : ` --resource ${shellWord(resource)}`;
    advise(`To end it: ${commandFor("thaw", status.key, input, only)}`);
  }
  for (const holder of status.holders) {
    const isWrong = stateOf(holder) !== null || holder.problem !== undefined;
    tell(2, `held by ${whoIs(holder)}`, isWrong ? "red" : "bold");
    parts.push(factLines(factsOf(holder, status, now), screen));
    const hint = hintFor(holder, status, input, now);
    if (hint !== null) advise(hint);
  }
  if (status.waiting > 0) {
    tell(2, `waiting: ${status.waiting}`);
    for (const waiter of status.waiters)
      tell(4, `${waiter.position}. ${waiterWords(waiter, status, now)}`);
  }
  if (estimate !== null) tell(2, `turn of a new claim: ${turnIn(estimate, status.holders, now)}`);
  return parts.join("");
}

function waiterWords(
  waiter: ForecastStatus["waiters"][number],
  status: ForecastStatus,
  now: number,
): string {
  const url = runUrlOf(waiter);
  const note = waiter.note === null ? "" : `, "${waiter.note}"`;
  const where = url === null ? "" : ` (${url})`;
  const turn =
    waiter.estimate === null || isUnforeseeable(status, now)
      ? ""
      : `; its turn ${rangeOf(waiter.estimate)}`;
  const stopped = waiter.stopped ? ", stopped" : "";
  const weight = waiter.weight === 1 ? "" : `, weight ${waiter.weight}`;
  const priority = waiter.priority === 0 ? "" : `, priority ${waiter.priority}`;
  const ready = waiter.ready ? "" : ", not ready yet";
  const how = `${weight}${priority}${ready}${stopped}`;
  return `${whoIs(waiter)} for ${ago(waiter.since, now)}${how}${note}${where}${turn}`;
}

/** Names on the left, in a column that is as wide for every holder. */
function factLines(facts: readonly [string, string][], screen: Screen): string {
  const rows = facts.map(([name, text]): Cell[] => [
    { text: name.padEnd(FACT_COLUMNS), colour: "dim" },
    { text },
  ]);
  return aligned(rows, screen, 4);
}
const FACT_COLUMNS = 9;

function sinceOf(iso: string, now: number): string {
  return `${toTheSecond(iso)} (${ago(iso, now)})`;
}

/**
 * Whether a claim of weight 1 would get the key at once: it is not frozen, a slot is free or its holder
 * dead, and nobody waits that would take it.
 */
function isFree({ frozen, frozenSlots, holders, slots, waiting, waiters }: KeyStatus): boolean {
  const living = holders.filter(({ reclaimable }) => reclaimable === null);
  const taken = new Set([
    ...living.flatMap((holder) => holder.slots),
    ...frozenSlots.map(({ slot }) => slot),
  ]);
  const unready = waiters.filter(({ ready }) => !ready).length;
  return frozen === null && waiting === unready && taken.size < slots;
}

function summaryOf(status: KeyStatus): string {
  const held = heldSlots(status);
  const frozen = status.frozen === null ? "" : ", frozen";
  if (status.slots > 1) return `${held} of ${status.slots} slots held${frozen}`;
  return `${held === 0 ? "free" : "held"}${frozen}`;
}

function factsOf(holder: Holder, status: ForecastStatus, now: number): [string, string][] {
  const facts: [string, string | null][] = [
    ["owner", isSaid(holder) ? null : holder.owner],
    [holder.weight > 1 ? "slots" : "slot", status.slots > 1 ? slotWords(holder) : null],
    ["since", holder.since === null ? null : sinceOf(holder.since, now)],
    ["usually", holder === status.holders[0] ? usualOf(status.estimate) : null],
    ["held", holder.run === undefined ? null : wholeRun(holder.run.until, now)],
    ["process", holder.run === undefined ? processOf(holder) : null],
    ["heartbeat", holder.heartbeat === null ? null : `${ago(holder.heartbeat, now)} ago`],
    ["ttl", holder.ttl === null ? null : formatDuration(holder.ttl * 1_000)],
    ["fence", holder.fence === null ? null : String(holder.fence)],
    ["run", runUrlOf(holder)],
    ["note", holder.note],
    ["problem", holder.problem ?? null],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}

/** Whether the line above has said all that the owner's id says: a terminal's is made of pid and host. */
function isSaid(holder: Holder): boolean {
  return whoIs(holder).includes(holder.owner) || parseLocalOwnerId(holder.owner) !== null;
}

/** Which slots it has, by their names where they have some. */
function slotWords({ slots, resources }: Holder): string {
  return resources === null ? slots.join(", ") : `${resources.join(", ")} (${slots.join(", ")})`;
}

/** For a run's lock: no process holds it, and nothing refreshes it. */
function wholeRun(until: string, now: number): string {
  const left = formatAge(Date.parse(until) - now);
  return `for the whole run, until ${toTheSecond(until)} at the latest (in ${left})`;
}

function processOf(holder: Holder): string {
  const pid = holder.pid === null ? "not known" : String(holder.pid);
  const host = holder.host === null ? "" : ` on ${holder.host}`;
  if (holder.pid === null && holder.alive === null) return pid;
  const life = { true: "alive", false: "gone", null: "cannot be seen from here" };
  const state = holder.command?.alone || holder.alive === false ? stateOf(holder) : null;
  const stopped = state === null && holder.stopped ? ", stopped" : "";
  return `${pid}${host}, ${state ?? life[`${holder.alive}`]}${stopped}`;
}

function hintFor(
  holder: Holder,
  status: ForecastStatus,
  input: Pick<Input, "store" | "storeWasNamed">,
  now: number,
): string | null {
  if (holder.reclaimable !== null) return "The next claim takes it over.";
  const stopped = stoppedProcess(holder);
  if (stopped !== null) return `To continue it: kill -CONT ${stopped}`;
  if (holder.command?.alone) {
    const where = holder.host === null ? "" : ` on ${holder.host}`;
    return `It is free as soon as that command ends: look at process ${holder.command.pid}${where}.`;
  }
  if (holder.alive === true && !isStuck(status, now)) return null;
  const slot = status.slots > 1 ? ` --slot ${holder.slot}` : "";
  return `To take it away: ${commandFor("break", status.key, input, slot)} --reason TEXT`;
}
