import { connect, createServer, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { listen } from "../../helpers/ports.ts";
import { hold, open } from "../../helpers/tcp/support.ts";
import { onEveryEngine } from "./engines.ts";

/** Milliseconds that bytes are on their way, each way: far more than the engine and this process need. */
const WAY_MS = 150;
const TRIPS_USUAL = 3;
/** What a busy machine may add to all of them; the best of some tries counts. */
const SLACK = 0.9;
const TRIES = 20;

/** A network that is as slow as one between two continents. */
async function slowNetwork(target: number): Promise<number> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const engine = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, engine],
      [engine, client],
    ] as const) {
      open.add(from);
      from.setNoDelay(true);
      from.on("error", () => {});
      from.on("close", () => to.destroy());
      from.on("data", (chunk) => setTimeout(() => to.writable && to.write(chunk), WAY_MS));
    }
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return port;
}

onEveryEngine("what a lock costs", (engine) => {
  it("acquiring and releasing a free lock takes as many round trips as the docs say", async () => {
    const { trips = TRIPS_USUAL } = engine();
    const store = await open(await engine().fresh(await slowNetwork(engine().port)));
    // The first one also opens the connection, and makes what is to be made.
    await (await hold(store, "quick")).release();
    let best = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && best >= trips + SLACK; tries++) {
      const began = performance.now();
      const holding = await hold(store, "quick");
      await holding.release();
      best = Math.min(best, (performance.now() - began) / (2 * WAY_MS));
    }
    expect(best).toBeGreaterThan(trips - 1);
    expect(best).toBeLessThan(trips + SLACK);
  });
});
