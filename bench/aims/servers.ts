import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpRate, openSession } from "../http-load.ts";
import { keeperPairs, pairCost } from "../http-measures.ts";
import { startServed } from "../http-targets.ts";
import { quantile } from "../lib/measure.ts";
import { handOffs } from "../server-measures.ts";
import { startDflockd, startOurs } from "../server-targets.ts";
import { compare, type Result } from "./compare.ts";

const PAIRS = 100;
const APPENDED = Buffer.alloc(400, "x");
const BARE_STORAGE = fileURLToPath(new URL("storage-bare.ts", import.meta.url));
const BARE_HTTP = fileURLToPath(new URL("../http-bare.ts", import.meta.url));
const HAND_OFFS = 300;

/** What it costs that a grant outlives a crash of the server. */
export async function* dataFile(directory: string): AsyncGenerator<Result> {
  const disk = await startServed("", ["--data", join(directory, "aims.db")]);
  const memory = await startServed("", []);
  const bare = await startServed("", [join(directory, "bare.db")], BARE_STORAGE);
  const file = openSync(join(directory, "appended"), "a");
  const pair = async (port: number) => (await pairCost(port, true, PAIRS)) / 1_000;
  const one = {
    what: "a keeper's claim and release on `serve --data`",
    unit: "ms",
    rounds: 15,
    ours: () => pair(disk.port),
  } as const;
  const hundred = {
    what: "claims and releases of 100 keepers on `serve --data`",
    unit: "a second",
    rounds: 9,
    ours: () => keeperPairs(disk.port, 100),
  } as const;
  try {
    yield await compare({
      ...one,
      peer: "one append with fsync",
      aim: 3,
      theirs: () => {
        const costs = Array.from({ length: PAIRS }, () => {
          const start = performance.now();
          writeSync(file, APPENDED);
          fsyncSync(file);
          return performance.now() - start;
        });
        return quantile(costs, 0.5);
      },
    });
    const bareStorage = "a bare server with a thread and SQLite";
    yield await compare({ ...one, peer: bareStorage, aim: 1.25, theirs: () => pair(bare.port) });
    const theirs = () => keeperPairs(memory.port, 100);
    yield await compare({ ...hundred, peer: "without `--data`", aim: 0.8, theirs });
    const bareRate = () => keeperPairs(bare.port, 100);
    yield await compare({ ...hundred, peer: bareStorage, aim: 0.8, theirs: bareRate });
  } finally {
    closeSync(file);
    await disk.stop();
    await memory.stop();
    await bare.stop();
  }
}

/** The HTTP door beside the least that a server made of node:http can do. */
export async function* httpDoor(): AsyncGenerator<Result> {
  const ours = await startServed("", ["--http-port", "0"]);
  const bare = await startServed("", [], BARE_HTTP);
  const sessions = Array.from({ length: 100 }, () => "0".repeat(64));
  const own = await Promise.all(sessions.map(() => openSession(ours.httpPort)));
  try {
    for (const connections of [1, 10, 100]) {
      yield await compare({
        what: `requests over HTTP, ${connections} at once`,
        peer: "bare node:http",
        unit: "a second",
        aim: 0.8,
        rounds: 15,
        ours: () => httpRate(ours.httpPort, own.slice(0, connections)),
        theirs: () => httpRate(bare.httpPort, sessions.slice(0, connections)),
      });
    }
  } finally {
    await ours.stop();
    await bare.stop();
  }
}

/** Null where no dflockd is at hand: DFLOCKD_BIN names it. */
export async function handOffTail(): Promise<Result | null> {
  const dflockd = await startDflockd();
  if (dflockd === null) return null;
  const ours = await startOurs();
  const tail = async (target: typeof ours) => quantile(await handOffs(target, HAND_OFFS), 0.99);
  try {
    return await compare({
      what: "the slowest in a hundred hand-offs over TCP",
      peer: "dflockd",
      unit: "ms",
      aim: 2,
      rounds: 7,
      ours: () => tail(ours),
      theirs: () => tail(dflockd),
    });
  } finally {
    await ours.stop();
    await dflockd.stop();
  }
}
