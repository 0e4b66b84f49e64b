import type { Claimant, KeyDocument } from "../../../../src/stores/document/document.ts";
import {
  type DocumentOptions,
  type DocumentStore,
  openDocumentStore,
} from "../../../../src/stores/document/store.ts";
import type { Timing } from "../../../../src/stores/document/timing.ts";
import {
  type Memory,
  type MemoryOptions,
  MemoryRegister,
} from "../../../contract/register/memory.ts";

export const KEY = "production";

/** Short, and in the same order as the real ones. */
export const FAST: Partial<Timing> = {
  poll: [10, 20, 40],
  farPoll: 40,
  grace: 300,
  holderLook: 30,
  askAgain: 50,
  startRetry: 100,
  startPatience: 400,
  leavePatience: 300,
  releasePatience: 800,
  lookPatience: 400,
  retry: [5, 50],
  heartbeat: 100,
  heartbeatDeadAfter: 600,
  skew: 100,
};

export interface Opened {
  readonly store: DocumentStore;
  readonly register: MemoryRegister;
}

/** A store over a memory, and the register under it. */
export function openOn(
  memory: Memory,
  register: Partial<MemoryOptions> = {},
  options: DocumentOptions = {},
): Opened {
  const made = new MemoryRegister(memory, { push: false, beacons: false, ...register });
  const timing = { ...FAST, ...options.timing };
  return { store: openDocumentStore(made, { ...options, timing }), register: made };
}

export function request(id: string, more: Record<string, unknown> = {}) {
  return { key: KEY, owner: { id, metadata: {} }, ...more };
}

/** The document as it stands. */
export function documentIn(memory: Memory): KeyDocument {
  return JSON.parse(memory.current(KEY).text as string) as KeyDocument;
}

export function claimantOf(id: string, more: Partial<Claimant> = {}): Claimant {
  return {
    id,
    owner: `owner-${id}`,
    digest: `digest-${id}`,
    ttl: 60_000,
    deadAfter: 30_000,
    note: null,
    metadata: {},
    life: { kind: "beacon", id },
    ...more,
  };
}
