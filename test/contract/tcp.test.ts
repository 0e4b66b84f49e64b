import { Client } from "../helpers/server/client.ts";
import { startProcess } from "../helpers/server/server.ts";
import { contractSuite } from "./suite.ts";

contractSuite("the TCP store with our server", {
  limits: {
    promises: { fair: true, fenced: true, push: true, scope: "network" },
    breaks: false,
    covers: false,
    namesWaiters: true,
    remembersKeys: true,
    expires: true,
    tellsTtl: false,
    freezes: false,
    newest: false,
    runs: false,
    shares: false,
  },
  async create() {
    // A process that is killed in the end: who still holds then is not waited for.
    const server = await startProcess(["--log-level", "error"]);
    return {
      url: `tcp://127.0.0.1:${server.port}`,
      async traces() {
        const client = await Client.open(server.port);
        const { connections: _, ...stats } = await client.stats();
        client.hangUp();
        return stats;
      },
      async cleanup() {
        server.child.kill("SIGKILL");
        await server.ended;
      },
    };
  },
});
