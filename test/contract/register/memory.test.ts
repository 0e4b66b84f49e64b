import { type Faults, Memory, MemoryRegister } from "./memory/register.ts";
import { remoteRegister } from "./memory/remote.ts";
import { serveMemory } from "./memory/served.ts";
import { registerSuite } from "./suite.ts";

for (const push of [true, false]) {
  registerSuite(`a register in memory that ${push ? "pushes" : "is polled"}`, {
    traits: { push },
    signs: push,
    loses: true,
    lags: true,
    async create() {
      const memory = new Memory();
      const faults: Faults = {};
      return {
        open: async () => new MemoryRegister(memory, { push, signs: push, faults }),
        loseNext(how) {
          faults.lose = () => {
            delete faults.lose;
            return how;
          };
        },
        lag(states) {
          faults.lag = () => states;
        },
        cleanup: async () => {},
      };
    },
  });
}

registerSuite("a register in another process's memory", {
  traits: { push: true },
  signs: true,
  async create() {
    const served = await serveMemory(new Memory(), { push: true, signs: true });
    const url = `memory://127.0.0.1:${served.port}`;
    return {
      open: async () => remoteRegister(url, { push: true, signs: true }),
      cleanup: () => served.close(),
    };
  },
});
