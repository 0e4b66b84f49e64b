import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach } from "vitest";
import { parseServerOptions } from "../../../src/server/options.ts";
import { type RunningServer, serve } from "../../../src/server/serve.ts";
import { Client } from "./client.ts";

export interface TestServer {
  readonly port: number;
  readonly running: RunningServer;
  /** All that was printed so far. */
  readonly printed: { stdout: string; log: string };
  connect(): Promise<Client>;
}

const clients: Client[] = [];
const servers: RunningServer[] = [];
const processes: ChildProcess[] = [];

afterEach(async () => {
  for (const client of clients.splice(0)) client.hangUp();
  for (const child of processes.splice(0)) {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  }
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

/** A server on a free port, in this process, stopped after the test. Flags as on the command line. */
export async function startServer(flags: Record<string, string> = {}): Promise<TestServer> {
  const printed = { stdout: "", log: "" };
  const options = parseServerOptions({ flags: { port: "0", ...flags }, env: {} });
  const running = await serve(options, {
    stdout: {
      write: (text) => {
        printed.stdout += text;
      },
    },
    stderr: {
      write: (text) => {
        printed.log += text;
      },
    },
    version: "1.2.3",
  });
  servers.push(running);
  return { port: running.port, running, printed, connect: () => connectTo(running.port) };
}

export async function connectTo(port: number): Promise<Client> {
  return adopt(await Client.open(port));
}

/** Hangs up after the test. */
export function adopt(client: Client): Client {
  clients.push(client);
  return client;
}

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly port: number;
  /** Null: it has no HTTP. */
  readonly httpPort: number | null;
  readonly stderr: () => string;
  /** Exit code and signal. */
  readonly ended: Promise<[number | null, string | null]>;
}

const PROGRAM = fileURLToPath(new URL("run-server.ts", import.meta.url));

/** Limits as `ulimit` takes them: `f` blocks of a file (half a KiB each), `n` open descriptors. */
export type Limits = Readonly<Partial<Record<"f" | "n", number>>>;

/** `holdfast serve` as a process; rejects with what it says when it does not start. */
export async function startProcess(
  args: readonly string[],
  env: Record<string, string> = {},
  limits: Limits = {},
): Promise<ServerProcess> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const bounds = Object.entries(limits).map(([letter, value]) => `ulimit -${letter} ${value} && `);
  const child = spawn(
    "/bin/sh",
    ["-c", `${bounds.join("")}exec "$@"`, "sh", process.execPath, PROGRAM, "--port", "0", ...args],
    { env: { PATH, NODE_COMPILE_CACHE, ...env }, stdio: ["ignore", "pipe", "pipe"] },
  );
  processes.push(child);
  let stdout = "";
  let stderr = "";
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  const doors = args.includes("--http-port") ? 2 : 1;
  const ports = await new Promise<number[]>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      stdout += chunk;
      const found = [...stdout.matchAll(/^listening \S+ \S+:(\d+)\n/gm)];
      if (found.length === doors) resolve(found.map(([, port]) => Number(port)));
    });
    void ended.then(([code]) => reject(new Error(`exit ${code}: ${stderr}`)));
  });
  const [port, httpPort = null] = ports as [number, number?];
  return { child, port, httpPort, stderr: () => stderr, ended };
}
