import { afterEach, expect } from "vitest";
import type { Claimant, KeyDocument } from "../../../../src/stores/document/document.ts";
import type { JobLife } from "../../../../src/stores/document/life.ts";
import {
  type DocumentOptions,
  type DocumentStore,
  openDocumentStore,
} from "../../../../src/stores/document/store.ts";
import type { Timing } from "../../../../src/stores/document/timing.ts";
import type { Register, Session } from "../../../../src/stores/engines/register.ts";
import {
  Memory,
  type MemoryOptions,
  MemoryRegister,
} from "../../../contract/register/memory/register.ts";

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
  changePatience: 400,
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
  const made = new MemoryRegister(memory, { push: false, signs: false, ...register });
  const timing = { ...FAST, ...options.timing };
  return { store: openDocumentStore(made, { ...options, timing }), register: made };
}

/** What every test of a file begins with: an empty memory, and stores over it that are closed in the end. */
export function stage() {
  const opened: Opened[] = [];
  let memory = new Memory();
  afterEach(async () => {
    for (const { store, register } of opened.splice(0)) {
      for (const fault of Object.keys(register.faults)) delete register.faults[fault as "lag"];
      await store.close();
    }
    memory = new Memory();
  });
  return {
    open(register: Partial<MemoryOptions> = {}, options: DocumentOptions = {}): Opened {
      const made = openOn(memory, register, options);
      opened.push(made);
      return made;
    },
    memory: () => memory,
    document: () => documentIn(memory),
  };
}

/** Changes how the sessions of a register give their signs of life, the first one too. */
export function changeSigns(
  register: Register,
  change: (renew: Session["renew"]) => Session["renew"],
): void {
  const open = register.session.bind(register);
  register.session = (id, deadAfter) => {
    const session = open(id, deadAfter);
    const renew = change(session.renew);
    return { ...session, begin: renew, renew };
  };
}

/** Resolves when that many wait. */
export async function inLine({ store }: Opened, count: number): Promise<void> {
  await expect
    .poll(async () => (await store.inspect(KEY)).waiting, { interval: 2, timeout: 20_000 })
    .toBe(count);
}

/** A job that the forge of the test can be asked about. */
export function job(id: string): JobLife {
  return {
    kind: "job",
    api: "https://forge.example",
    repository: "o/r",
    run: "1",
    attempt: "1",
    job: id,
    runner: null,
  };
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
    life: { kind: "session", id },
    ...more,
  };
}
