import type { Lease } from "../../../lock/store.ts";
import type { ProcessMark } from "../../../machine/processes.ts";
import { type Place, slotPath } from "../disk/place.ts";
import { parseLock } from "../format/format.ts";
import type { Grant } from "./claim.ts";
import { type Steps, step } from "./world.ts";

/**
 * What another process took in this one's name, as if it had been granted here. Null where that lock
 * is no longer there. No guard is needed: as long as this process lives, only a break or a foreign
 * tool takes its lock away, and a holder notices both.
 */
export function* adoptSteps(
  place: Place,
  lease: Pick<Lease, "fence" | "slot">,
  self: ProcessMark,
): Steps<Grant | null> {
  const path = slotPath(place, lease.slot);
  const descriptor = yield* step("open", path);
  if (descriptor === null) return null;
  const view = yield* step("read", path);
  const record = view === null ? null : parseLock(view.content);
  // The fence tells one grant of the key from every other, the mark says whom it was meant for.
  if (
    view?.inode === descriptor.inode &&
    record?.kind === "holdfast" &&
    record.fence === lease.fence &&
    isSame(record.process, self)
  ) {
    const content = Buffer.from(view.content).toString("utf8");
    return { path, descriptor, record, content, reclaimed: null };
  }
  yield* step("close", descriptor);
  return null;
}

function isSame(one: ProcessMark, other: ProcessMark): boolean {
  return (
    one.pid === other.pid &&
    one.start === other.start &&
    one.boot === other.boot &&
    one.namespace === other.namespace
  );
}
