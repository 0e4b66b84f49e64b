import { vi } from "vitest";
import { startGitServer } from "../helpers/git-server.ts";
import { contractSuite } from "./suite.ts";

// Each request is a process of git's: where many contend, a small machine needs its time.
vi.setConfig({ testTimeout: 400_000 });

contractSuite("the document store on a git server", {
  limits: {
    promises: { fair: true, fenced: true, push: false, scope: "network" },
    breaks: true,
    covers: false,
    namesWaiters: true,
    remembersKeys: true,
    expires: true,
    tellsTtl: true,
    freezes: true,
    newest: true,
    runs: true,
    knowsLives: false,
    deadAfter: 3_000,
    rounds: 8,
  },
  async create() {
    const server = await startGitServer();
    return {
      url: server.url,
      opener: new URL("../unit/stores/engines/git/opener.ts", import.meta.url).href,
      traces: () => server.git("for-each-ref"),
      cleanup: () => server.close(),
    };
  },
});
