import { frozenInLine } from "../../../forecast/words.ts";
import { parseDuration } from "../../../lock/duration.ts";
import { LockError } from "../../../lock/errors.ts";
import type { Store } from "../../../lock/store.ts";
import { jsonText, quote, showable } from "../../../lock/text.ts";
import { type Command, DONE_OR_FAILED, type Input, KEY_MAY_BE_LEFT_OUT } from "../../command.ts";
import { commandFor, whoIntervenes, withStore } from "../../context.ts";
import { lineName, say } from "../../output.ts";
import { reasonOf } from "./reason.ts";

export const freezeCommand: Command = {
  name: "freeze",
  summary: "Lets nobody have a key until it is thawed",
  usage: "KEY --reason TEXT [--for D]",
  about: [
    "The holder goes on to the end. Claims wait as behind a holder, and are told who froze it, why and until when. A second freeze replaces the first; break does not thaw.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  options: [
    { name: "reason", value: "TEXT", says: "why, for everybody who waits; required" },
    {
      name: "for",
      value: "D",
      says: "thaw it after this time",
      default: "none, until holdfast thaw",
    },
  ],
  examples: [
    {
      line: 'holdfast freeze production --reason "incident 42" --for 2h',
      says: "no deployment for two hours",
    },
    { line: "holdfast thaw production", says: "and it goes on" },
  ],
  exitCodes: DONE_OR_FAILED,
  async act(input, io) {
    const reason = reasonOf(input, "the key is frozen", "incident 42");
    const duration = durationOf(input);
    const { frozen, key, url, held } = await withStore(input, io, {}, async (store) => {
      const freeze = store.freeze?.bind(store) ?? cannotFreeze(store);
      const named = store.keyOf(input.key);
      const made = await freeze(named, { reason, duration, owner: whoIntervenes(io) });
      const { holders } = input.json ? { holders: [] } : await store.inspect(named);
      return { frozen: made, key: named, url: store.url, held: holders.length };
    });
    if (input.json) io.stdout.write(`${jsonText({ key, store: url, frozen })}\n`);
    else if (!input.quiet) {
      io.stdout.write(`${showable(`${lineName(key)} is ${frozenInLine(frozen)}`)}\n`);
      const goes = held === 1 ? "its holder goes on to the end" : "its holders go on to the end";
      const end = `to end the freeze: ${commandFor("thaw", key, input)}`;
      say(io, held === 0 ? end : `${goes}; ${end}`);
    }
    return 0;
  },
};

export const thawCommand: Command = {
  name: "thaw",
  summary: "Ends the freeze of a key",
  usage: "KEY",
  about: ["A key that is not frozen is success, and said so.", KEY_MAY_BE_LEFT_OUT],
  takes: "key",
  options: [],
  examples: [{ line: "holdfast thaw production", says: "the first in line gets it" }],
  exitCodes: DONE_OR_FAILED,
  async act(input, io) {
    const { thawed, key, url } = await withStore(input, io, {}, async (store) => {
      const thaw = store.thaw?.bind(store) ?? cannotFreeze(store);
      const named = store.keyOf(input.key);
      const ended = await thaw(named, { owner: whoIntervenes(io) });
      return { thawed: ended, key: named, url: store.url };
    });
    if (input.json) io.stdout.write(`${jsonText({ key, store: url, thawed })}\n`);
    else if (!input.quiet) {
      const told =
        thawed === null
          ? "was not frozen"
          : `is thawed; it was frozen by ${thawed.by}: ${thawed.reason}`;
      io.stdout.write(`${showable(`${lineName(key)} ${told}`)}\n`);
    }
    return 0;
  },
};

function cannotFreeze({ url }: Store): never {
  throw new LockError(
    "NOT_SUPPORTED",
    `The store ${url} cannot freeze a key: use a lock directory, a server of Holdfast's own over http:, or a repository, or hold the key with holdfast acquire KEY --detach.`,
  );
}

function durationOf(input: Input): number | null {
  const text = input.text("for");
  const duration = text === undefined ? null : parseDuration(text, "time of the freeze");
  if (duration !== 0) return duration;
  throw new LockError(
    "BAD_DURATION",
    `The time of the freeze ${quote(text ?? "")} is nothing: use a longer one, or leave --for out.`,
  );
}
