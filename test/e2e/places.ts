import { expect } from "vitest";
import { connectTo, type ServerProcess, startProcess } from "../helpers/server/server.ts";
import { PATIENT } from "../helpers/waiting.ts";
import { openScene, type Scene } from "./scene.ts";

/** The doors of `holdfast serve`. */
export type Door = "tcp" | "http";

/** Where the jobs of a scene meet: what a job sees must be the same in each of these stores. */
export type Place = "file" | Door;

interface Differences {
  /** The runner that a job finds normal here: a lock file locks nobody out on a hosted one. */
  readonly environment: "self-hosted" | "github-hosted";
  /** Milliseconds after the start of pre: its claim and the handing over to its keeper are among them. */
  readonly momentsOfPre: readonly number[];
  /**
   * The inputs with which a keeper that was killed is noticed soon. Its pid is gone, or its connection has ended, at once;
   * of a keeper with an HTTP session the server learns when the lease is over.
   */
  readonly killedKeeper: Record<string, string>;
  /**
   * The inputs with which a stopped keeper loses its lock after two seconds. A process that exists
   * on the same machine counts as alive until its ttl is over; a server only has the lease.
   */
  readonly shortLife: Record<string, string>;
  /** Over HTTP a place in line belongs to a session, which may come back: it ends with its lease. */
  readonly deadWaiterLeaves: "at once" | "with its lease";
}

export const DIFFERENCES: Record<Place, Differences> = {
  file: {
    environment: "self-hosted",
    momentsOfPre: [0, 20, 30, 40, 45, 50, 55, 60, 65, 70, 75, 80, 90, 120, 150, 220, 300],
    killedKeeper: {},
    shortLife: { ttl: "2s", "dead-after": "1s" },
    deadWaiterLeaves: "at once",
  },
  tcp: {
    environment: "github-hosted",
    momentsOfPre: [0, 60, 100, 140, 180, 240],
    killedKeeper: {},
    shortLife: { "dead-after": "2s" },
    deadWaiterLeaves: "at once",
  },
  http: {
    environment: "github-hosted",
    momentsOfPre: [0, 60, 100, 140, 180, 240],
    killedKeeper: { "dead-after": "4s" },
    shortLife: { "dead-after": "2s" },
    deadWaiterLeaves: "with its lease",
  },
};

/** A scene whose store is a `holdfast serve` of its own. */
export interface ServedScene extends Scene {
  readonly server: ServerProcess;
}

export async function openAt(place: Place): Promise<Scene> {
  return place === "file" ? openScene() : openServed(place);
}

export async function openServed(door: Door, args: readonly string[] = []): Promise<ServedScene> {
  const server = await startServed(door, args);
  const scene = openScene({ store: storeAt(door, server) });
  // Without a key there is no server left that could be asked; else it may be one that took the
  // place of the first, on the same ports.
  const isTidy: Scene["isTidy"] = async (keys) => {
    await scene.isTidy(keys);
    if (keys?.length !== 0) await isEmpty(server);
  };
  return { ...scene, isTidy, server };
}

/** `before`: the server whose place it takes, on the same ports. */
export function startServed(
  door: Door,
  args: readonly string[] = [],
  before?: ServerProcess,
): Promise<ServerProcess> {
  const http = door === "http" ? ["--http-port", String(before?.httpPort ?? 0)] : [];
  const tcp = before === undefined ? [] : ["--port", String(before.port)];
  return startProcess([...tcp, ...http, ...args]);
}

export function storeAt(door: Door, server: ServerProcess): string {
  return `${door}://127.0.0.1:${door === "http" ? server.httpPort : server.port}`;
}

/** Checks that no client, lock or session is left at the server, beside the one that asks. */
async function isEmpty({ port, httpPort }: ServerProcess): Promise<void> {
  const client = await connectTo(port);
  await expect.poll(async () => (await client.stats()).connections, PATIENT).toBe(1);
  const { locks, semaphores } = await client.stats();
  expect([...locks, ...semaphores]).toEqual([]);
  if (httpPort === null) return;
  const metrics = async () => (await fetch(`http://127.0.0.1:${httpPort}/metrics`)).text();
  await expect.poll(metrics, PATIENT).toMatch(/^holdfast_sessions 0$/m);
}
