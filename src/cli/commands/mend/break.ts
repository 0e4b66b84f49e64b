import { holderInLine } from "../../../forecast/words.ts";
import { LockError } from "../../../lock/errors.ts";
import { counted } from "../../../lock/people/names.ts";
import { whoIs } from "../../../lock/people/who.ts";
import { parseSlot } from "../../../lock/request.ts";
import type { Waiter } from "../../../lock/status.ts";
import type { Store } from "../../../lock/store.ts";
import { jsonText, showable } from "../../../lock/text.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { commandFor, whoCalls, whoIntervenes, withStore } from "../../context.ts";
import { lineName } from "../../output.ts";
import { reasonOf } from "./reason.ts";

export const breakCommand: Command = {
  name: "break",
  summary: "Takes a key from its holder, or from all of its holders, dead or alive",
  usage: "KEY --reason TEXT [--slot N | --line]",
  about: [
    "The holder learns of it and stops its command. The reason is shown to it and kept in the audit log. A free key is success, and said so.",
    "With --line it is not the holders that lose the key: the claims in line are removed that are not known to live, and named. One that does live all the same joins again, at the end.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  options: [
    { name: "reason", value: "TEXT", says: "why, for the holder and for the record; required" },
    {
      name: "slot",
      value: "N",
      says: "only the holder of this slot, counted from 0",
      default: "all",
    },
    { name: "line", says: "not the holders, but the claims in line that may be dead" },
  ],
  examples: [
    {
      line: 'holdfast break production --reason "the runner was unplugged"',
      says: "free a lock whose holder cannot be asked",
    },
    {
      line: 'holdfast break production --line --reason "all runners were restarted"',
      says: "clear the line of claims that died in it",
    },
  ],
  exitCodes: [
    ["0", "taken away, or it was free; with --line: removed, or nobody was in it"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const reason = reasonOf(input, "the lock is broken", "the runner was unplugged");
    const slot = slotOf(input);
    const isLine = input.flag("line");
    if (isLine && slot.slot !== undefined) {
      throw new LockError(
        "BAD_SLOTS",
        "--slot names a holder, and --line is about those who wait: use one of them.",
      );
    }
    const { user } = whoCalls(io);
    const by = whoIntervenes(io);
    const { broken, line, key, url, waiting } = await withStore(
      input,
      io,
      { user },
      async (store) => {
        const result = await store.break(input.key, { reason, owner: by, line: isLine, ...slot });
        const isSilent = isLine || result.broken.length > 0 || input.json || input.quiet;
        const waiting = isSilent ? 0 : await waitingForNobody(store, input.key);
        return { ...result, key: store.keyOf(input.key), url: store.url, waiting };
      },
    );
    if (input.json)
      io.stdout.write(
        `${jsonText({ key, store: url, broken, ...(isLine ? { line: line ?? [] } : {}) })}\n`,
      );
    else if (!input.quiet) {
      const now = Date.now();
      const lines = isLine
        ? clearedIn(key, line ?? [])
        : broken.length === 0
          ? [`${lineName(key)} was free`, ...lineHint(key, waiting, input)]
          : broken.map(
              (holder) =>
                `${lineName(key)} was taken away; it was held by ${holderInLine(holder, now)}`,
            );
      for (const line of lines) io.stdout.write(`${showable(line)}\n`);
    }
    return 0;
  },
};

/** How many claims stand in the line of a key that nobody holds, though it is not frozen. */
async function waitingForNobody(store: Store, key: string): Promise<number> {
  // The break is done: that this question is not answered is no failure of it.
  const status = await store.inspect(key).catch(() => null);
  return status === null || status.holders.length > 0 || status.frozen !== null
    ? 0
    : status.waiting;
}

/** A free key that claims wait for is not what a person breaks it for: these may be dead. */
function lineHint(key: string, waiting: number, input: Input): string[] {
  if (waiting === 0) return [];
  const claims = `${counted(waiting, "claim")} ${waiting === 1 ? "stands" : "stand"} in its line`;
  const command = commandFor("break", key, input, " --line --reason TEXT");
  return [`${claims}; to remove those that may be dead: ${command}`];
}

function clearedIn(key: string, line: readonly Waiter[]): string[] {
  if (line.length === 0) return [`nobody in line for ${lineName(key)} had to be removed`];
  return line.map((waiter) => `${whoIs(waiter)} was removed from the line for ${lineName(key)}`);
}

function slotOf(input: Input): { slot?: number } {
  const text = input.text("slot");
  return text === undefined ? {} : { slot: parseSlot(text) };
}
