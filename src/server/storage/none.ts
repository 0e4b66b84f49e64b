import type { Storage } from "./types.ts";

/** The storage of a server with neither HTTP nor a data file: it keeps nothing, and has no files. */
export const NO_STORAGE: Storage = {
  found: {
    leases: [],
    line: [],
    sessions: [],
    tokens: { used: [], since: 0 },
    holds: [],
    freezes: [],
    pastFreezes: [],
    gate: [],
    lastFence: null,
  },
  trouble: null,
  record() {},
  settled: () => null,
  readFile: async () => null,
  statFile: async () => null,
  writeFile: async () => ({ outcome: "full" }),
  deleteFile: async () => ({ outcome: "missing" }),
  close: async () => {},
};
