import { startProcess } from "../helpers/server/server.ts";
import { contractSuite } from "./suite.ts";

contractSuite("the HTTP store with our server", {
  limits: {
    promises: { fair: true, fenced: true, push: true, scope: "network" },
    breaks: true,
    covers: false,
    namesWaiters: true,
    remembersKeys: true,
    expires: true,
    tellsTtl: false,
    freezes: true,
    newest: true,
    runs: true,
    deadAfter: 4_000,
  },
  async create() {
    // A process that is killed in the end: who still holds then is not waited for.
    const server = await startProcess(["--http-port", "0", "--log-level", "error"]);
    const url = `http://127.0.0.1:${server.httpPort}`;
    return {
      url,
      async traces() {
        const response = await fetch(`${url}/admin/locks?all=1`);
        return ((await response.json()) as { locks: unknown }).locks;
      },
      async cleanup() {
        server.child.kill("SIGKILL");
        await server.ended;
      },
    };
  },
});
