import type { Storage } from "./types.ts";

/** For a server with neither HTTP nor a data file: nothing is to be kept, and there are no files. */
export const NO_STORAGE: Storage = {
  found: { leases: [], sessions: [], holds: [], lastFence: null },
  trouble: null,
  record() {},
  settled: () => null,
  readFile: async () => null,
  statFile: async () => null,
  writeFile: async () => ({ outcome: "full" }),
  deleteFile: async () => ({ outcome: "missing" }),
  close: async () => {},
};
