import { holderInLine } from "../../../forecast/words.ts";
import { LockError } from "../../../lock/errors.ts";
import { SLOTS_LIMIT } from "../../../lock/request.ts";
import { jsonText, quote, showable } from "../../../lock/text.ts";
import { type Command, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { whoCalls, whoIntervenes, withStore } from "../../context.ts";
import { lineName } from "../../output.ts";
import { reasonOf } from "./reason.ts";

export const breakCommand: Command = {
  name: "break",
  summary: "Takes a key from its holder, or from all of its holders, dead or alive",
  usage: "KEY --reason TEXT [--slot N]",
  about: [
    "The holder learns of it and stops its command. The reason is shown to it and kept in the audit log. A free key is success, and said so.",
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
  ],
  examples: [
    {
      line: 'holdfast break production --reason "the runner was unplugged"',
      says: "free a lock whose holder cannot be asked",
    },
  ],
  exitCodes: [
    ["0", "taken away, or it was free"],
    ["2", "bad input or failure"],
  ],
  async act(input, io) {
    const reason = reasonOf(input, "the lock is broken", "the runner was unplugged");
    const slot = slotOf(input);
    const { user } = whoCalls(io);
    const by = whoIntervenes(io);
    const { broken, key, url } = await withStore(input, io, { user }, async (store) => {
      const result = await store.break(input.key, { reason, owner: by, ...slot });
      return { ...result, key: store.keyOf(input.key), url: store.url };
    });
    if (input.json) io.stdout.write(`${jsonText({ key, store: url, broken })}\n`);
    else if (!input.quiet) {
      const now = Date.now();
      const lines =
        broken.length === 0
          ? [`${lineName(key)} was free`]
          : broken.map(
              (holder) =>
                `${lineName(key)} was taken away; it was held by ${holderInLine(holder, now)}`,
            );
      for (const line of lines) io.stdout.write(`${showable(line)}\n`);
    }
    return 0;
  },
};

function slotOf(input: Input): { slot?: number } {
  const text = input.text("slot");
  if (text === undefined) return {};
  const slot = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (!(slot < SLOTS_LIMIT)) {
    throw new LockError(
      "BAD_SLOTS",
      `The slot ${quote(text)} is not a whole number from 0 to ${SLOTS_LIMIT - 1}.`,
    );
  }
  return { slot };
}
