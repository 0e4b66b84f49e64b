import type { StoreOptions } from "../../src/stores/options.ts";
import { type Faults, Memory } from "./register/memory/register.ts";
import type { RemoteOptions } from "./register/memory/remote.ts";
import { serveMemory } from "./register/memory/served.ts";
import { type ContractLimits, contractSuite } from "./suite.ts";

const OPENER = new URL("register/memory/remote.ts", import.meta.url).href;

const LIMITS: ContractLimits = {
  promises: { fair: true, fenced: true, push: true, scope: "network" },
  breaks: true,
  covers: false,
  namesWaiters: true,
  remembersKeys: true,
  expires: true,
  tellsTtl: true,
  freezes: true,
  newest: true,
  runs: true,
  deadAfter: 3_000,
};

function suite(
  name: string,
  limits: ContractLimits,
  options: RemoteOptions,
  faults: Faults = {},
): void {
  contractSuite(name, {
    limits,
    async create() {
      const memory = new Memory();
      const served = await serveMemory(memory, { ...options, faults });
      return {
        url: `memory://127.0.0.1:${served.port}`,
        options: options as StoreOptions,
        opener: OPENER,
        traces: async () => [...memory.states],
        cleanup: () => served.close(),
      };
    },
  });
}

suite("the document store over a register that pushes and has signs of life", LIMITS, {
  push: true,
  signs: true,
  timing: { skew: 100 },
});

/** As on git, only faster: a waiter writes nothing, a holder renews, everybody polls. */
const POLLING: RemoteOptions = {
  push: false,
  signs: false,
  timing: {
    poll: [20, 40, 60],
    farPoll: 60,
    grace: 2_000,
    holderLook: 100,
    heartbeat: 300,
    heartbeatDeadAfter: 1_000,
    skew: 100,
  },
};

let swaps = 0;

suite(
  "the document store over a register that is polled, has no signs of life and loses answers",
  { ...LIMITS, promises: { ...LIMITS.promises, push: false }, knowsLives: false },
  POLLING,
  {
    lose: () => {
      swaps++;
      if (swaps % 20 === 0) return "stands";
      return swaps % 20 === 10 ? "never" : null;
    },
  },
);
