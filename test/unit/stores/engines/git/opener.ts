import { type DocumentStore, openDocumentStore } from "../../../../../src/stores/document/store.ts";
import type { Timing } from "../../../../../src/stores/document/timing.ts";
import { openGitRegister } from "../../../../../src/stores/engines/git/register.ts";

/** The times of a store on git, made short: the server is on this machine, and nobody has a budget. */
const TIMING: Partial<Timing> = {
  // A busy machine must not turn a slow answer into one that does not come.
  startRetry: 30_000,
  startPatience: 90_000,
  poll: [60, 120, 200],
  farPoll: 200,
  grace: 60_000,
  holderLook: 300,
  heartbeat: 5_000,
  heartbeatDeadAfter: 60_000,
  // All processes have one clock.
  skew: 100,
};

/** For tests in which somebody dies: how long its silence is waited for. */
export const DEATHS: Partial<Timing> = {
  grace: 8_000,
  heartbeat: 1_200,
  heartbeatDeadAfter: 8_000,
};

/** For tests in which the server fails all the time: a slow machine must not fail a claim for it. */
const PATIENT: Partial<Timing> = {
  startRetry: 600_000,
  startPatience: 600_000,
  releasePatience: 600_000,
};

/** How processes of the contract suite open a store on git: with those times. */
export async function open(url: string): Promise<DocumentStore> {
  const { HOLDFAST_TEST_DEATHS: deaths, HOLDFAST_TEST_PATIENT: patient } = process.env;
  return openQuick(url, { ...(deaths ? DEATHS : {}), ...(patient ? PATIENT : {}) });
}

export function openQuick(url: string, timing: Partial<Timing>): DocumentStore {
  const register = openGitRegister(url, {}, { env: {} });
  const traits = { ...register.traits, backoff: [20, 300] as const };
  const quick = new Proxy(register, {
    get(target, name) {
      if (name === "traits") return traits;
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return openDocumentStore(quick, { timing: { ...TIMING, ...timing } });
}
