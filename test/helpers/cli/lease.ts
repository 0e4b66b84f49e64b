import { join } from "node:path";
import type { LeaseFile } from "../../../src/keeper/lease-file.ts";
import { openProcesses } from "../../../src/machine/processes.ts";

/** A lease whose keeper has ended, for a file in that directory. */
export function leaseIn(directory: string, more: Partial<LeaseFile> = {}): LeaseFile {
  return {
    key: "k",
    store: `file:${directory}/locks`,
    owner: "me",
    fence: 1,
    slot: 0,
    slots: [0],
    resources: null,
    since: "2026-11-16T10:00:00.000Z",
    ttl: 60,
    waited: 0,
    token: "00".repeat(16),
    version: 1,
    state: "held",
    keeper: { ...openProcesses({ sharedFilesystem: false }).self, pid: 2 ** 22 + 1 },
    watched: null,
    job: null,
    socket: join(directory, "s.sock"),
    storeOptions: {},
    ...more,
  };
}
