import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server process that is measured. */
export interface Served {
  readonly name: string;
  readonly port: number;
  readonly httpPort: number;
  stop(): Promise<void>;
}

const OURS = fileURLToPath(new URL("./server-process.ts", import.meta.url));
const FLAGS = ["--port", "0", "--max-locks", "0", "--max-sessions", "0", "--log-level", "error"];

/** Resolves when all its doors are open. */
export async function startServed(
  name: string,
  flags: readonly string[],
  program = OURS,
): Promise<Served> {
  const args = program === OURS ? [...FLAGS, ...flags] : flags;
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const doors = flags.includes("--http-port") ? 2 : 1;
  let stdout = "";
  const ports: number[] = [];
  while (ports.length < doors) {
    const [chunk] = (await once(child.stdout, "data")) as [Buffer];
    stdout += chunk;
    ports.splice(0);
    for (const [, port] of stdout.matchAll(/^listening \S+ \S+:(\d+)\n/gm))
      ports.push(Number(port));
  }
  return {
    name,
    port: ports[0] as number,
    httpPort: ports.at(-1) as number,
    async stop() {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
