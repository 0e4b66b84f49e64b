import type { InLine } from "../../../lock/admission.ts";
import { cleanText } from "../../../lock/text.ts";
import type { Place } from "../disk/place.ts";
import { readNames, wholeNumber, writeNames } from "../format/fields.ts";
import type { Standing } from "../format/ticket.ts";
import { type Steps, step } from "./world.ts";
import { putWhole } from "./write.ts";

const FENCE_DIGITS = 16;
const SLOTS_DIGITS = 4;

/** What a key remembers while it is free. */
export interface Memory {
  readonly fence: number | null;
  readonly slots: number;
  readonly key: string | null;
  /** The names of its slots, where they had names. */
  readonly resources?: readonly string[];
  /** The grants that passed claims which still stand in line. */
  readonly passes?: readonly Pass[];
}

/** A grant that passed others: by the number with which it stood in line, and its fence. */
export interface Pass {
  readonly number: number;
  readonly fence: number;
}

/** A memory, and the file that it was read from. */
export interface Recalled extends Memory {
  readonly inode: string | null;
  /** Everything after the first line; null if there is no file. */
  readonly rest: string | null;
}

/**
 * The fence file has a first line of fixed width, rewritten in place in one write, so that a crash leaves either
 * the old number or the new one. The key follows, for names that had to be cut. Then come fields that only some
 * keys have: the names of their slots, and who passed whom.
 */
export function* recall(place: Place): Steps<Recalled> {
  const view = yield* step("read", place.fence, "likely");
  const text = view === null ? "" : Buffer.from(view.content).toString("utf8");
  const rest = view === null ? null : text.slice(text.indexOf("\n") + 1);
  return { ...parseMemory(text), inode: view?.inode ?? null, rest };
}

export function parseMemory(text: string): Memory {
  // With counted repeats every process that looks would take half a millisecond to compile it.
  const [, fence, slots, key, more] =
    /^fence=(\d+) slots=(\d+)\n(?:key=([^\n]*)\n)?([\s\S]*)/.exec(text) ?? [];
  if (fence?.length !== FENCE_DIGITS || slots?.length !== SLOTS_DIGITS)
    return { fence: null, slots: 1, key: null };
  const memory: Memory = {
    fence: wholeNumber(fence),
    slots: Math.max(1, Number(slots)),
    key: key === undefined ? null : cleanText(key),
  };
  return more ? { ...memory, ...parseMore(more, memory.slots) } : memory;
}

function parseMore(text: string, slots: number): Pick<Memory, "resources" | "passes"> {
  const resources = readNames(/^resources=(.*)$/m.exec(text)?.[1], slots);
  const passes = (/^passed=(.*)$/m.exec(text)?.[1] ?? "").split(",").flatMap((pass) => {
    const [number, fence] = pass.split(":").map(wholeNumber);
    return number == null || fence == null ? [] : [{ number, fence }];
  });
  return {
    ...(resources === null ? {} : { resources }),
    ...(passes.length === 0 ? {} : { passes }),
  };
}

/** What a grant changes in the memory besides its first line. */
interface Change {
  /** As it was read under this guard. */
  readonly before: Recalled;
  readonly resources: readonly string[] | null;
  readonly passes: readonly Pass[];
  /** The process that writes. */
  readonly pid: number;
}

/**
 * Writes the memory. If more than the first line changes, another file replaces it as a whole: a claim that may
 * come first by being passed waits for that (see `line.ts`), and nothing is torn.
 */
export function* remember(
  place: Place,
  fence: number,
  slots: number,
  { before, resources, passes, pid }: Partial<Change> = {},
): Steps<void> {
  const line = `fence=${String(fence).padStart(FENCE_DIGITS, "0")} slots=${String(slots).padStart(SLOTS_DIGITS, "0")}\n`;
  const names = resources == null ? "" : `resources=${writeNames(resources)}\n`;
  const passed = (passes ?? []).slice(-PASSES_KEPT).map((pass) => `${pass.number}:${pass.fence}`);
  const rest = `key=${place.key}\n${names}${passed.length === 0 ? "" : `passed=${passed.join()}\n`}`;
  const isSame = before == null || before.fence === null || before.rest === rest;
  if (isSame || pid === undefined) yield* step("put", place.fence, line + rest);
  else yield* putWhole(place.fence, line + rest, pid);
}

/**
 * How many passes are kept: more are needed only in a line that nobody has ever seen, and no reader takes a
 * longer file.
 */
const PASSES_KEPT = 1_000;

/** How often a claim was passed, as far as that counts while it stands in line. */
export function passedOf(
  { passes = [] }: Pick<Memory, "passes">,
  standing: Standing,
): InLine["passed"] {
  return passes.filter((pass) => hasPassed(pass, standing)).length;
}

/**
 * The passes to remember once the claim with that number has been served with that fence: those that count for
 * somebody in line. A claim is passed ten times, and the claims that came before it are passed with it: so there
 * are about ten, however long the line.
 */
export function passesAfter(
  { passes = [] }: Pick<Memory, "passes">,
  line: readonly Standing[],
  served: Pass,
): Pass[] {
  return [...passes, served].filter((pass) => line.some((standing) => hasPassed(pass, standing)));
}

/** It came later, and was served while the other was ready. */
function hasPassed({ number, fence }: Pass, other: Standing): boolean {
  return other.ready && other.number < number && other.readyAt < fence;
}
