import type { StoreOptions } from "../../src/stores/open.ts";
import { Memory } from "./register/memory.ts";
import type { RemoteOptions } from "./register/remote.ts";
import { serveMemory } from "./register/served.ts";
import { type ContractLimits, contractSuite } from "./suite.ts";

const OPENER = new URL("register/remote.ts", import.meta.url).href;

const LIMITS: ContractLimits = {
  promises: { fair: true, fenced: true, push: true, scope: "network" },
  breaks: true,
  covers: false,
  namesWaiters: true,
  remembersKeys: true,
  expires: true,
  tellsTtl: true,
  lease: 3_000,
};

function suite(name: string, limits: ContractLimits, options: RemoteOptions): void {
  contractSuite(name, {
    limits,
    async create() {
      const memory = new Memory();
      const served = await serveMemory(memory, options);
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

suite("the document store over a register that pushes and has beacons", LIMITS, {
  push: true,
  beacons: true,
});
