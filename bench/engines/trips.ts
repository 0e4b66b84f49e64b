import { connect, createServer, type Server } from "node:net";
import { openStore } from "../../src/stores/open.ts";
import { listen } from "../../test/helpers/ports.ts";
import { interleave, quantile } from "../lib/measure.ts";
import { printAim, printTable, ratio } from "../lib/report.ts";
import { newDocument, type RunningRow } from "./rows.ts";

/** Where the engine itself does not need more. */
const AIM = 3;
const TURNS = 10;
const TIMES = 20;
/** What the slow way adds to every answer: far more than anything else takes. */
const LATENCY_MS = 40;
const SLOW_PAIRS = 15;

/**
 * Acquire and release of a free key, beside a bare write and a bare read by the same connection. How
 * many round trips it waits for is told by a way to the engine on which every answer takes longer.
 */
export async function benchTrips(rows: readonly RunningRow[], rounds: number): Promise<void> {
  const table: string[][] = [];
  const aims: [string, number, number][] = [];
  for (const { name, engine, open } of rows) {
    const store = await openStore(await engine.fresh());
    const register = open(await engine.fresh());
    let version: string | null = null;
    const write = async () => {
      const swap = await register.swap("bare", version, newDocument());
      if (swap.outcome === "done") version = swap.version;
    };
    const repeat = (work: () => Promise<unknown>) => async (times: number) => {
      for (let time = 0; time < times; time++) await work();
    };
    const costs = await interleave(
      [
        { name: "pair", run: repeat(() => pair(store)) },
        { name: "write", run: repeat(write) },
        { name: "read", run: repeat(() => register.read("bare", { strong: true })) },
      ],
      rounds * TURNS,
      TIMES,
    );
    await store.close();
    await register.close();
    const [both = 0, bare = 1, look = 1] = ["pair", "write", "read"].map((each) => costs.get(each));
    const trips = ((await slowPair(engine)) - both / 1_000) / LATENCY_MS;
    const ms = (micros: number) => (micros / 1_000).toFixed(2);
    table.push([name, ms(both), ms(bare), ms(look), ratio(both / bare), trips.toFixed(1)]);
    aims.push([name, trips, engine.trips ?? AIM]);
  }
  printTable(
    "Acquire and release of a free key, milliseconds",
    ["", "both", "a bare write", "a bare read", "in bare writes", "round trips"],
    table,
  );
  for (const [name, trips, aim] of aims)
    printAim(`${name}: at most ${aim} round trips`, trips.toFixed(1), Math.round(trips) <= aim);
}

async function pair(store: Awaited<ReturnType<typeof openStore>>): Promise<void> {
  const holding = await store.claim({ key: "free", owner: { id: "bench", metadata: {} } });
  await holding.release();
}

/** Milliseconds of an acquire and release where every answer comes late. */
async function slowPair(engine: RunningRow["engine"]): Promise<number> {
  const way = slowWay(engine.port);
  const store = await openStore(await engine.fresh(await listen(way)));
  const times: number[] = [];
  for (let turn = 0; turn < SLOW_PAIRS; turn++) {
    const began = performance.now();
    await pair(store);
    times.push(performance.now() - began);
  }
  await store.close();
  way.close();
  return quantile(times, 0.5);
}

function slowWay(port: number): Server {
  // Without a delay of its own: an answer in two pieces would wait for the receipt of the first, and
  // count as one round trip more.
  return createServer({ noDelay: true }, (client) => {
    const engine = connect({ port, host: "127.0.0.1", noDelay: true });
    client.on("error", () => engine.destroy()).pipe(engine);
    engine.on("error", () => client.destroy());
    engine.on("data", (data) => setTimeout(() => client.write(data), LATENCY_MS));
    engine.on("close", () => client.destroy());
    client.on("close", () => engine.destroy());
  });
}
