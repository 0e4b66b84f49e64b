import { type ForecastStatus, withEstimate } from "../../../forecast/status.ts";
import {
  ago,
  frozenInLine,
  isStuck,
  isUnforeseeable,
  nameOf,
  rangeOf,
  runUrlOf,
  toTheSecond,
  turnIn,
  usualOf,
} from "../../../forecast/words.ts";
import { formatDuration } from "../../../lock/duration.ts";
import type { CoveredCommand, Holder, KeyStatus } from "../../../lock/status.ts";
import { jsonText, showable } from "../../../lock/text.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { commandFor, withStore } from "../../context.ts";
import { lineName } from "../../output.ts";

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
    else if (!input.quiet) io.stdout.write(statusText(status, input, now));
    return input.flag("exit-code") && !isFree(status) ? 1 : 0;
  },
};

export function statusText(
  status: ForecastStatus,
  input: Pick<Input, "store" | "storeWasNamed">,
  now: number,
) {
  const { estimate } = status;
  const lines = [`${lineName(status.key)} in ${status.store}: ${summaryOf(status)}`];
  if (status.frozen !== null) {
    const { since } = status.frozen;
    lines.push(`  ${frozenInLine(status.frozen)}`);
    lines.push(`    ${"since".padEnd(10)} ${since} (${ago(since, now)})`);
    lines.push(`    To end it: ${commandFor("thaw", status.key, input)}`);
  }
  for (const holder of status.holders) {
    lines.push(`  held by ${nameOf(holder)}`);
    for (const [name, text] of factsOf(holder, status, now)) {
      lines.push(`    ${name.padEnd(10)} ${text}`);
    }
    const hint = hintFor(holder, status, input, now);
    if (hint !== null) lines.push(`    ${hint}`);
  }
  if (status.waiting > 0) {
    lines.push(`  waiting: ${status.waiting}`);
    for (const waiter of status.waiters) {
      const url = runUrlOf(waiter);
      const note = waiter.note === null ? "" : `, "${waiter.note}"`;
      const where = url === null ? "" : ` (${url})`;
      const turn =
        waiter.estimate === null || isUnforeseeable(status, now)
          ? ""
          : `; its turn ${rangeOf(waiter.estimate)}`;
      lines.push(
        `    ${waiter.position}. ${nameOf(waiter)} for ${ago(waiter.since, now)}${waiter.stopped ? ", stopped" : ""}${note}${where}${turn}`,
      );
    }
  }
  if (estimate !== null)
    lines.push(`  turn of a new claim: ${turnIn(estimate, status.holders, now)}`);
  return lines.map((line) => `${showable(line)}\n`).join("");
}

/** Whether a claim would get the key at once: it is not frozen, a slot is free or its holder dead, and nobody waits. */
function isFree(status: KeyStatus): boolean {
  const living = status.holders.filter(({ reclaimable }) => reclaimable === null);
  return status.frozen === null && status.waiting === 0 && living.length < status.slots;
}

function summaryOf(status: KeyStatus): string {
  const held = status.holders.length;
  const frozen = status.frozen === null ? "" : ", frozen";
  if (status.slots > 1) return `${held} of ${status.slots} slots held${frozen}`;
  return `${held === 0 ? "free" : "held"}${frozen}`;
}

function factsOf(holder: Holder, status: ForecastStatus, now: number): [string, string][] {
  const facts: [string, string | null][] = [
    ["slot", status.slots > 1 ? String(holder.slot) : null],
    ["since", holder.since === null ? null : `${holder.since} (${ago(holder.since, now)})`],
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

/** A run's lock has no process that holds it, and nobody who refreshes it. */
function wholeRun(until: string, now: number): string {
  const left = formatDuration(Math.max(0, Date.parse(until) - now));
  return `for the whole run, until ${toTheSecond(until)} at the latest (in ${left})`;
}

function processOf(holder: Holder): string {
  const pid = holder.pid === null ? "not known" : String(holder.pid);
  const host = holder.host === null ? "" : ` on ${holder.host}`;
  const life = { true: "alive", false: "gone", null: "cannot be seen from here" };
  const stopped = holder.stopped ? ", stopped" : "";
  if (holder.command?.alone)
    return `${pid}${host}, gone; its command ${commandOf(holder.command)} is alive${stopped}`;
  return holder.pid === null && holder.alive === null
    ? pid
    : `${pid}${host}, ${life[`${holder.alive}`]}${stopped}`;
}

function commandOf({ pid, name }: CoveredCommand): string {
  return name === null ? String(pid) : `${pid} (${name})`;
}

function hintFor(
  holder: Holder,
  status: ForecastStatus,
  input: Pick<Input, "store" | "storeWasNamed">,
  now: number,
): string | null {
  if (holder.reclaimable !== null) return "The next claim takes it over.";
  if (holder.alive === true && !isStuck(status, now)) return null;
  const slot = status.slots > 1 ? ` --slot ${holder.slot}` : "";
  return `To take it away: ${commandFor("break", status.key, input, slot)} --reason TEXT`;
}
