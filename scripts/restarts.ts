/** Kills a server with a data file again and again under load, and says whether anything was lost. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { runRestarts } from "../test/stress/restarts/run.ts";
import { countIn } from "./options.ts";

const USAGE = `npm run restarts -- [options]
  --kills N      how often the server is killed (default 50)
  --keepers N    clients over TCP (default 6)
  --sessions N   clients over HTTP (default 6)
  --writers N    clients that write files (default 2)
  --keys N       what they all want (default 3)
  --seed N       repeats the choices of another run
`;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "50" },
    keepers: { type: "string", default: "6" },
    sessions: { type: "string", default: "6" },
    writers: { type: "string", default: "2" },
    keys: { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  process.stdout.write(USAGE);
  process.exit(0);
}

const PROGRAM = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "holdfast-restarts-"));

class Victim {
  port = 0;
  httpPort = 0;
  #child: ChildProcess | null = null;

  async start(): Promise<void> {
    const data = join(directory, "locks.db");
    const ports = ["--port", String(this.port), "--http-port", String(this.httpPort)];
    const args = [PROGRAM, "serve", "--data", data, "--log-level", "error", ...ports];
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
    this.#child = child;
    let stdout = "";
    await new Promise<void>((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)));
      child.stdout.on("data", (chunk) => {
        stdout += chunk;
        const ports = [...stdout.matchAll(/^listening \S+ \S+:(\d+)\n/gm)].map(([, port]) => port);
        if (ports.length < 2) return;
        [this.port, this.httpPort] = ports.map(Number) as [number, number];
        resolve();
      });
    });
    child.removeAllListeners("exit");
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.start();
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
}

const count = countIn(values);
const plan = {
  kills: count("kills", 1),
  keepers: count("keepers", 0),
  sessions: count("sessions", 0),
  writers: count("writers", 0),
  keys: count("keys", 1),
  seed: count("seed", 0),
  history: join(directory, "history.jsonl"),
};
const say = (line: string) => process.stdout.write(`${line}\n`);
const victim = new Victim();
await victim.start();
say(`seed ${values.seed}`);
const start = performance.now();
const figures = await runRestarts(victim, plan, (kill) =>
  say(`${((performance.now() - start) / 1_000).toFixed(1)} s: kill ${kill}`),
);
await victim.kill();
for (const fault of figures.faults) say(`FAULT ${fault}`);
say(`kills    ${figures.kills}`);
say(`grants   ${figures.grants}`);
say(`carried  ${figures.carried} holds over a kill`);
say(`places   ${figures.places} claims in line over a kill, served in their order`);
say(`writes   ${figures.writes}`);
say(`faults   ${figures.faults.length}`);
rmSync(directory, { recursive: true, force: true });
process.exitCode = figures.faults.length > 0 ? 1 : 0;
