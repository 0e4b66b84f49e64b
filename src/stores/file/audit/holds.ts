import { type Hold, type HoldEnd, readHold } from "../../../lock/history.ts";
import { cleanText } from "../../../lock/text.ts";
import type { Place } from "../disk/place.ts";
import { OLDER_LOG_SUFFIX } from "./append.ts";
import { type AuditEntry, entriesBackwards } from "./read.ts";

/** How far back a log is read that the key shares with busier ones: some 6,000 lines, within 2 ms. */
const HISTORY_BYTES_LIMIT = 2 * 1024 * 1024;

/** The latest holds of a key that are over, newest first, out of the audit log. */
export function holdsOf(place: Place, limit: number, bytes = HISTORY_BYTES_LIMIT): Hold[] {
  const paths = [place.audit, place.audit + OLDER_LOG_SUFFIX];
  const ends = new Ends();
  const holds: Hold[] = [];
  if (limit <= 0) return holds;
  for (const found of entriesBackwards(paths, `"key":${JSON.stringify(place.key)}`, bytes)) {
    const entry = { ...found, at: Date.parse(found.timestamp) };
    if (Number.isNaN(entry.at) || entry.details.key !== place.key) continue;
    if (entry.operation !== "acquire") {
      ends.note(entry);
      continue;
    }
    const hold = holdOf(entry, ends.of(entry));
    if (hold !== null) holds.push(hold);
    if (holds.length >= limit) break;
  }
  return holds;
}

interface End {
  readonly end: HoldEnd;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** As the holder itself measured it, by a clock that does not jump. */
  readonly held: number | null;
  /** Of a break: why, and by whom. */
  readonly why?: Pick<Hold, "reason" | "by">;
  /** Set for a loss: what the holder saw of an end that another process may have recorded. */
  readonly hearsay: boolean;
}

/** The ends met so far on the way back. Each waits for the acquisition that it belongs to. */
class Ends {
  readonly #byFence = new Map<number, End>();
  /** Older logs do not tell the fence of a lock that was taken over: only its file and owner. */
  readonly #byOwner = new Map<string, End>();

  note(entry: Entry): void {
    const end = endOf(entry);
    if (end === null) return;
    const { fence, existingOwner } = entry.details;
    if (typeof fence === "number") this.#byFence.set(fence, joined(end, this.#byFence.get(fence)));
    else if (fence === undefined) this.#byOwner.set(`${entry.lockPath} ${existingOwner}`, end);
  }

  /** Null: it is still held, or ended without a trace. */
  of({ lockPath, details }: Entry): End | null {
    const name = `${lockPath} ${details.owner}`;
    const named = this.#byOwner.get(name);
    this.#byOwner.delete(name);
    return this.#byFence.get(details.fence as number) ?? named ?? null;
  }
}

/**
 * Joins two lines about one end. The time is the earlier line's; the kind is that of the line which is not
 * hearsay.
 */
function joined(earlier: End, later: End | undefined): End {
  if (later === undefined) return earlier;
  const { end, why } = earlier.hearsay ? later : earlier;
  const held = earlier.held ?? later.held;
  const hearsay = earlier.hearsay && later.hearsay;
  return { end, held, at: earlier.at, hearsay, ...(why === undefined ? {} : { why }) };
}

const BY_REASON: Readonly<Record<string, HoldEnd>> = {
  LOCK_EXPIRED: "expired",
  HOLDER_DEAD: "dead",
};

function endOf({ operation, details, at }: Entry): End | null {
  const known = { at, held: null, hearsay: false };
  switch (operation) {
    case "release": {
      const held = typeof details.held === "number" && details.held >= 0 ? details.held : null;
      return { ...known, end: "released", held };
    }
    case "reclaim":
    case "clean":
      // The other reasons take it from a living holder, as a break does.
      return { ...known, end: BY_REASON[String(details.reason)] ?? "broken" };
    case "break":
      return { ...known, end: "broken", why: whyOf(details) };
    case "loss":
      return { ...known, end: details.end === "expired" ? "expired" : "broken", hearsay: true };
    default:
      return null;
  }
}

function whyOf({ reason, by }: AuditEntry["details"]): Pick<Hold, "reason" | "by"> {
  return {
    ...(typeof reason === "string" ? { reason: cleanText(reason) } : {}),
    ...(typeof by === "string" ? { by: cleanText(by) } : {}),
  };
}

type Entry = AuditEntry & { readonly at: number };

function holdOf({ details, at }: Entry, end: End | null): Hold | null {
  const { fence, waited } = details;
  if (end === null || typeof fence !== "number" || !Number.isFinite(at)) return null;
  return readHold({
    ...details,
    since: new Date(at).toISOString(),
    waited: typeof waited === "number" && waited >= 0 ? waited : null,
    // The wall clock may have gone back in between.
    held: end.held ?? Math.max(0, end.at - at),
    end: end.end,
    reason: end.why?.reason,
    by: end.why?.by,
  });
}
