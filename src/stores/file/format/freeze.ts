import type { Freeze, SlotFreeze } from "../../../lock/status.ts";
import { cleanText, jsonObject } from "../../../lock/text.ts";
import type { FileView } from "../protocol/world.ts";
import { instant } from "./fields.ts";

/** A freeze, with the name of its slot if the slot has one. */
type Written = Freeze & Pick<SlotFreeze, "resource">;

/** A freeze as a side file says it. The key is in it for names that had to be cut. */
export function writeFreeze(key: string, { by, reason, since, until, resource }: Written): string {
  return `${JSON.stringify({ key, by, reason, since, until, resource })}\n`;
}

/**
 * Any file in; a freeze out. A freeze that cannot be understood still freezes: it was put there to keep claims
 * out, and letting them in because of a damaged file would be the worse mistake.
 */
export function parseFreeze(view: FileView): Written {
  const { by, reason, since, until, resource } = fieldsOf(view.content);
  const isWhole = typeof by === "string" && typeof reason === "string" && instant(since) !== null;
  const hasEnd = until === null || instant(until) !== null;
  if (view.problem === undefined && isWhole && hasEnd)
    return {
      by: cleanText(by),
      reason: cleanText(reason),
      since: timeOf(since),
      until: until === null ? null : timeOf(until),
      ...(typeof resource === "string" ? { resource: cleanText(resource) } : {}),
    };
  const problem = view.problem ?? "it is damaged";
  return {
    by: "unknown",
    reason: `its file cannot be read: ${problem}`,
    since: new Date(view.modified).toISOString(),
    until: null,
  };
}

/** The key that a freeze names, for a key that was never held. */
export function keyOfFreeze(view: FileView): string | null {
  const { key } = fieldsOf(view.content);
  return typeof key === "string" ? cleanText(key) : null;
}

function timeOf(value: unknown): string {
  return new Date(instant(value) ?? 0).toISOString();
}

function fieldsOf(content: Uint8Array): Record<string, unknown> {
  return jsonObject(Buffer.from(content).toString("utf8")) ?? {};
}
