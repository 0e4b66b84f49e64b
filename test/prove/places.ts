import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { openStore } from "../../src/stores/open.ts";
import type { Engine } from "../helpers/engines/engine.ts";
import { hasEtcd, startEtcd } from "../helpers/engines/etcd.ts";
import { hasMinio, startMinio } from "../helpers/engines/minio.ts";
import { hasPostgres, startPostgres } from "../helpers/engines/postgres.ts";
import { hasRedis, startRedis } from "../helpers/engines/redis.ts";
import { startGitServer } from "../helpers/git-server.ts";
import { unusedPort } from "../helpers/ports.ts";
import { ProofNetwork } from "./network.ts";
import type { Times } from "./open.ts";

/** A store to be proven, with the faults that it can be put through. */
export interface Place {
  /** As the processes open it: through the network, where there is one. */
  readonly url: string;
  /** How its processes open it. */
  readonly times: Times;
  /** Milliseconds of silence after which its holders count as dead. */
  readonly deadAfter: number;
  /** Silence takes so long to be death, whatever is asked for, that no run waits for it. */
  readonly isSlowToDie: boolean;
  /** Claims of one line that fit beside each other may be served in any order. */
  readonly together: boolean;
  readonly network: ProofNetwork | null;
  /** Kills the server and starts it again on its data; null: there is none. */
  readonly restart: (() => Promise<void>) | null;
  /** Takes a key from its holders; null: a holder that is frozen loses its lock by its silence. */
  readonly breakKey: ((key: string) => Promise<void>) | null;
  close(): Promise<void>;
}

/** Opens a place below a directory; null where its engine is not installed. */
export type OpenPlace = (directory: string) => Promise<Place | null>;

const SERVER = fileURLToPath(new URL("../helpers/server/run-server.ts", import.meta.url));

/** Every kind of store, by its name on the command line. */
export const PLACES: Readonly<Record<string, OpenPlace>> = {
  file: async (directory) => ({
    url: join(directory, "locks"),
    times: "usual",
    isSlowToDie: false,
    together: false,
    deadAfter: 1_000,
    network: null,
    restart: null,
    async breakKey(key) {
      const store = await openStore(join(directory, "locks"));
      await store.break(key, { owner: "admin", reason: "its holder froze" });
      await store.close();
    },
    close: async () => {},
  }),
  tcp: (directory) => ownServer(directory, "tcp"),
  http: (directory) => ownServer(directory, "http"),
  git: () => onGit(3_000, "usual"),
  // A silence of ten minutes is death in a repository that has no forge: here it is one of 15 s, so
  // that many may be killed.
  "git-short": () => onGit(15_000, "short"),
  etcd: () => onEngine(hasEtcd, startEtcd),
  // With every write on the disk before it is confirmed, as docs/engines.md advises.
  redis: () => onEngine(hasRedis, startRedis),
  postgres: () => onEngine(hasPostgres, startPostgres),
  s3: () => onEngine(hasMinio, startMinio),
};

async function onGit(deadAfter: number, times: Times): Promise<Place> {
  const server = await startGitServer();
  const target = new URL(server.url.replace(/^git\+/, ""));
  const network = await ProofNetwork.start(Number(target.port));
  return {
    url: server.url.replace(`:${target.port}`, `:${network.port}`),
    times,
    isSlowToDie: times === "usual",
    together: true,
    deadAfter,
    network,
    restart: null,
    breakKey: null,
    async close() {
      network.close();
      await server.close();
    },
  };
}

async function onEngine(isThere: boolean, start: () => Promise<Engine>): Promise<Place | null> {
  if (!isThere) return null;
  const engine = await start();
  const network = await ProofNetwork.start(engine.port);
  return {
    url: await engine.fresh(network.port),
    times: "usual",
    isSlowToDie: false,
    together: true,
    deadAfter: 4_000,
    network,
    breakKey: null,
    async restart() {
      await engine.kill();
      await engine.startAgain();
    },
    async close() {
      network.close();
      await engine.stop();
    },
  };
}

async function ownServer(directory: string, kind: "tcp" | "http"): Promise<Place> {
  const ports = { tcp: await unusedPort(), http: await unusedPort() };
  const start = () => startOwn(directory, ports);
  let child = await start();
  const network = await ProofNetwork.start(ports[kind]);
  const end = async () => {
    child.kill("SIGKILL");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  };
  return {
    url: `${kind}://127.0.0.1:${network.port}`,
    times: "usual",
    isSlowToDie: false,
    together: false,
    deadAfter: 4_000,
    network,
    breakKey: null,
    async restart() {
      await end();
      child = await start();
    },
    async close() {
      network.close();
      await end();
    },
  };
}

async function startOwn(
  directory: string,
  ports: { readonly tcp: number; readonly http: number },
): Promise<ChildProcess> {
  const args = ["--data", join(directory, "locks.db"), "--log-level", "error"];
  args.push("--port", String(ports.tcp), "--http-port", String(ports.http));
  const child = spawn(process.execPath, [SERVER, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const heard = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith("listening http")) resolve();
    });
    child.once("exit", () => reject(new Error("the server ended before it listened")));
  });
  await heard;
  return child;
}
