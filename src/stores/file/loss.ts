import { nameOf } from "../../lock/people/who.ts";
import { lastAudit } from "./audit/read.ts";
import { parseLock } from "./format/format.ts";
import { type Held, isOurs } from "./protocol/end/release.ts";
import type { World } from "./protocol/world.ts";

/** Explains in words why a lock is no longer its holder's: who broke it, took it over or has it now. */
export function explainLoss(world: World, held: Held): string {
  try {
    const last = lastAudit(held.place.audit, held.files[0].path, ["break", "reclaim", "clean"]);
    const details = last?.details;
    if (last?.operation === "break" && details?.fence === held.record.fence) {
      return `it was broken by ${details.by} (${details.reason})`;
    }
    if (last?.operation === "reclaim" && details?.fence === held.record.fence)
      return `it was taken over by ${details.newOwner}, ${details.reason}`;
    const views = held.files.map((file) => ({ file, view: world.read(file.path) }));
    const view = (views.find(({ file, view }) => !isOurs(held, file, view)) ?? views[0])?.view;
    if (view == null) return "its lock file is gone";
    const record = parseLock(view.content);
    const isNamed = record.kind === "holdfast" || record.kind === "policy";
    return `it is now held by ${isNamed ? nameOf(record) : "another tool"}`;
  } catch {
    return "its lock file cannot be read";
  }
}
