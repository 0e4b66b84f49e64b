import { openGitRegister } from "../../../src/stores/engines/git/register.ts";
import { startGitServer } from "../../helpers/git-server.ts";
import { registerSuite } from "./suite.ts";

registerSuite("a git server", {
  traits: { push: false },
  signs: false,
  contention: { registers: 4, rounds: 8 },
  loses: true,
  // Lists do lag, but not for the register that wrote: test/stores/engines/git/read.test.ts.
  lags: false,
  async create() {
    const server = await startGitServer();
    return {
      open: async () => openGitRegister(server.url, {}, { env: {} }),
      loseNext: (how) => server.failNext("push", { kind: how === "stands" ? "cut" : "refuse" }),
      cleanup: () => server.close(),
    };
  },
});
