import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** Writes holds of a key to a store's audit log, as if they had been: each so many minutes long. */
export function writePast(
  directory: string,
  key: string,
  minutes: readonly number[],
  metadata: Record<string, string> = {},
): void {
  const lockPath = join(directory, `${key}.lock`);
  let at = Date.parse("2026-11-15T08:00:00.000Z");
  for (const [index, length] of minutes.entries()) {
    const owner = `ci-github-${index}-1-deploy`;
    const fence = at * 1_000;
    const held = Math.round(length * 60_000);
    const entry = (operation: string, details: object) => {
      const timestamp = new Date(at).toISOString();
      const shared = { key, owner, fence, slot: 0 };
      const whole = { timestamp, operation, lockPath, details: { ...shared, ...details } };
      return `${JSON.stringify({ ...whole, user: "ann", pid: 1 })}\n`;
    };
    const begin = entry("acquire", { waited: 61_000, metadata });
    at += held;
    appendFileSync(join(directory, ".lock_audit.log"), begin + entry("release", { held }));
  }
}
