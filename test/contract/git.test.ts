import { startGitServer } from "../helpers/git-server.ts";
import { contractSuite } from "./suite.ts";

contractSuite("the document store on a git server", {
  limits: {
    promises: { fair: true, fenced: true, push: false, scope: "network" },
    breaks: true,
    covers: false,
    namesWaiters: true,
    remembersKeys: true,
    expires: true,
    tellsTtl: true,
    knowsLives: false,
    deadAfter: 3_000,
  },
  async create() {
    const server = await startGitServer();
    return {
      url: server.url,
      opener: new URL("../unit/stores/document/git/opener.ts", import.meta.url).href,
      traces: () => server.git("for-each-ref"),
      cleanup: () => server.close(),
    };
  },
});
