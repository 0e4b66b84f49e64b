import { frozenInLine } from "../../../forecast/words.ts";
import { parseDuration } from "../../../lock/duration.ts";
import { LockError } from "../../../lock/errors.ts";
import { checkOnly, parseSlot } from "../../../lock/request.ts";
import type { OneSlot, Store } from "../../../lock/store.ts";
import { jsonText, quote, shellWord, showable } from "../../../lock/text.ts";
import {
  type Command,
  DONE_OR_FAILED,
  type Input,
  KEY_MAY_BE_LEFT_OUT,
  type Option,
} from "../../command.ts";
import { commandFor, whoIntervenes, withStore } from "../../context.ts";
import { lineName, say } from "../../output.ts";
import { reasonOf } from "./reason.ts";

const ONE_SLOT_OPTIONS: readonly Option[] = [
  { name: "slot", value: "N", says: "only this slot, counted from 0", default: "all" },
  { name: "resource", value: "NAME", says: "only the slot of this name", default: "all" },
];

export const freezeCommand: Command = {
  name: "freeze",
  summary: "Lets nobody have a key until it is thawed",
  usage: "KEY --reason TEXT [--for D] [--slot N | --resource NAME]",
  about: [
    "The holder goes on to the end. Claims wait as behind a holder, and are told who froze it, why and until when. A second freeze replaces the first; break does not thaw.",
    "With --slot or --resource only that one is not given out, and the others are: a device is broken, the rest goes on.",
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
    ...ONE_SLOT_OPTIONS,
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
    const only = onlyIn(input);
    const { frozen, key, url, held } = await withStore(input, io, {}, async (store) => {
      const freeze = store.freeze?.bind(store) ?? cannotFreeze(store);
      const named = store.keyOf(input.key);
      const made = await freeze(named, { reason, duration, owner: whoIntervenes(io), ...only });
      const { holders } = input.json ? { holders: [] } : await store.inspect(named);
      return { frozen: made, key: named, url: store.url, held: holders.length };
    });
    if (input.json) io.stdout.write(`${jsonText({ key, store: url, ...only, frozen })}\n`);
    else if (!input.quiet) {
      io.stdout.write(
        `${showable(`${lineName(key)}${partWords(only)} is ${frozenInLine(frozen)}`)}\n`,
      );
      const goes = held === 1 ? "its holder goes on to the end" : "its holders go on to the end";
      const end = `to end the freeze: ${commandFor("thaw", key, input, partOptions(only))}`;
      say(io, held === 0 ? end : `${goes}; ${end}`);
    }
    return 0;
  },
};

export const thawCommand: Command = {
  name: "thaw",
  summary: "Ends the freeze of a key",
  usage: "KEY [--slot N | --resource NAME]",
  about: [
    "A key that is not frozen is success, and said so. Without --slot and --resource all freezes of the key end.",
    KEY_MAY_BE_LEFT_OUT,
  ],
  takes: "key",
  options: ONE_SLOT_OPTIONS,
  examples: [{ line: "holdfast thaw production", says: "the first in line gets it" }],
  exitCodes: DONE_OR_FAILED,
  async act(input, io) {
    const only = onlyIn(input);
    const { thawed, key, url } = await withStore(input, io, {}, async (store) => {
      const thaw = store.thaw?.bind(store) ?? cannotFreeze(store);
      const named = store.keyOf(input.key);
      const ended = await thaw(named, { owner: whoIntervenes(io), ...only });
      return { thawed: ended, key: named, url: store.url };
    });
    if (input.json) io.stdout.write(`${jsonText({ key, store: url, ...only, thawed })}\n`);
    else if (!input.quiet) {
      const told =
        thawed === null
          ? "was not frozen"
          : `is thawed; it was frozen by ${thawed.by}: ${thawed.reason}`;
      io.stdout.write(`${showable(`${lineName(key)}${partWords(only)} ${told}`)}\n`);
    }
    return 0;
  },
};

function onlyIn(input: Input): OneSlot {
  const slot = input.text("slot");
  const resource = input.text("resource");
  return checkOnly({
    ...(slot === undefined ? {} : { slot: parseSlot(slot) }),
    ...(resource === undefined ? {} : { resource }),
  });
}

/** Which part of the key is meant, for a sentence. */
function partWords({ slot, resource }: OneSlot): string {
  if (resource !== undefined) return `, ${lineName(resource)},`;
  return slot === undefined ? "" : `, slot ${slot},`;
}

/** The same as options of a command. */
function partOptions({ slot, resource }: OneSlot): string {
  if (resource !== undefined) return ` --resource ${shellWord(resource)}`;
  return slot === undefined ? "" : ` --slot ${slot}`;
}

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
