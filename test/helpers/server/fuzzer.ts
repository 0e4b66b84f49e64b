import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause, setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { LineReader } from "../../../src/wire/line-reader.ts";
import { parseReply } from "../../../src/wire/reply.ts";
import { Client } from "./client.ts";
import { Dice, fuzzFrame, keyOfLease } from "./frames.ts";

export interface FuzzOptions {
  readonly frames: number;
  readonly seed: number;
  readonly connections: number;
  readonly onProgress?: (frames: number) => void;
}

export interface FuzzReport {
  frames: number;
  connections: number;
  replies: number;
  grants: number;
  /** Rounds of take, check and free by well-behaved clients, meanwhile. */
  witnessed: number;
  /** What they or the monitor saw that must not be. */
  readonly faults: string[];
  memory: { before: Memory; after: Memory };
}

interface Memory {
  /** Bytes in use after a collection. */
  readonly used: number;
  readonly rss: number;
}

const PROGRAM = fileURLToPath(new URL("run-server.ts", import.meta.url));
const FLAGS = [
  "--port",
  "0",
  "--gc-interval",
  "0.2",
  "--gc-max-idle",
  "0.5",
  "--lease-sweep-interval",
  "0.2",
];

const WARMING_UP = 0.3;

/** Throws fuzzed frames at a server process while others use it properly, and watches both. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { child, port } = await startServer();
  const report: FuzzReport = {
    frames: 0,
    connections: 0,
    replies: 0,
    grants: 0,
    witnessed: 0,
    faults: [],
    memory: { before: { used: 0, rss: 0 }, after: { used: 0, rss: 0 } },
  };
  child.once("exit", (code, signal) => report.faults.push(`The server ended: ${code ?? signal}.`));
  // A process grows to its working size at first: compiled code, caches, the heap. That is no leak.
  await storm(port, { ...options, frames: Math.ceil(options.frames * WARMING_UP) }, report);
  const before = await calm(child, port, report);
  await storm(port, { ...options, seed: options.seed + 1 }, report);
  const after = await calm(child, port, report);
  report.memory = { before, after };
  child.removeAllListeners("exit");
  child.kill("SIGKILL");
  await once(child, "exit");
  return report;
}

async function startServer(): Promise<{ child: ChildProcess; port: number }> {
  const child = spawn(process.execPath, ["--expose-gc", PROGRAM, ...FLAGS], {
    stdio: ["ignore", "pipe", "ignore", "ipc"],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return { child, port: Number(/:(\d+)\n/.exec(line.toString())?.[1]) };
}

async function storm(port: number, options: FuzzOptions, report: FuzzReport): Promise<void> {
  const end = report.frames + options.frames;
  const over = () => report.frames >= end || report.faults.length > 0;
  const held = new Map<string, number>();
  const attackers = Array.from({ length: options.connections }, (_, index) =>
    attack(port, new Dice(options.seed * 1_000 + index), report, over, options.onProgress),
  );
  const watchers = [1, 2, 3, 4].map((number) =>
    witness(port, `witness-${number % 2}`, held, report, over),
  );
  await Promise.all([...attackers, ...watchers, monitor(port, report, over)]);
}

async function attack(
  port: number,
  dice: Dice,
  report: FuzzReport,
  over: () => boolean,
  onProgress: FuzzOptions["onProgress"],
): Promise<void> {
  const tokens: { key: string; token: string }[] = [];
  while (!over()) {
    const attacker = new Attacker(
      connect({ port, host: "127.0.0.1", allowHalfOpen: true }),
      report,
      tokens,
      dice,
    );
    if (!(await opened(attacker.socket))) continue;
    report.connections += 1;
    for (
      let chunks = 1 + dice.roll(60);
      chunks > 0 && attacker.socket.writable && !over();
      chunks -= 1
    ) {
      const goOn = await attacker.sendChunk();
      onProgress?.(report.frames);
      if (!goOn) break;
    }
    if (dice.chance(30)) attacker.socket.end();
    await turn();
    if (dice.chance(30)) await pause(dice.roll(20));
    // Resets leave no port behind in TIME_WAIT: there are not enough of them for a long run.
    attacker.socket.resetAndDestroy();
  }
}

/** Long enough for a busy server, short enough not to stand still behind a request that waits. */
const PATIENCE_MS = 50;

class Attacker {
  readonly socket: Socket;
  readonly #report: FuzzReport;
  readonly #tokens: { key: string; token: string }[];
  readonly #dice: Dice;
  readonly #reader = new LineReader();
  #owed = 0;
  #paid: () => void = () => {};

  constructor(
    socket: Socket,
    report: FuzzReport,
    tokens: { key: string; token: string }[],
    dice: Dice,
  ) {
    this.socket = socket;
    this.#report = report;
    this.#tokens = tokens;
    this.#dice = dice;
    socket.on("error", () => {});
    socket.on("end", () => this.#paid());
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
  }

  /** Sends some frames, cut somewhere, and waits for the replies. False when the server has to close. */
  async sendChunk(): Promise<boolean> {
    const dice = this.#dice;
    const parts: Buffer[] = [];
    let last = false;
    for (let count = 1 + dice.roll(12); count > 0 && !last; count -= 1) {
      const frame = fuzzFrame(dice, this.#tokens);
      parts.push(frame.bytes);
      last = frame.last;
    }
    this.#report.frames += parts.length;
    this.#owed += parts.length;
    const bytes = Buffer.concat(parts);
    const cut = dice.roll(bytes.length + 1);
    this.socket.write(bytes.subarray(0, cut));
    if (dice.chance(50)) await turn();
    this.socket.write(bytes.subarray(cut));
    if (dice.chance(5)) return !last;
    const paid = new Promise<void>((resolve) => {
      this.#paid = resolve;
    });
    await Promise.race([paid, pause(PATIENCE_MS)]);
    return !last;
  }

  #read(chunk: Buffer): void {
    this.#reader.push(chunk);
    for (let line = this.#reader.next(); line !== null; line = this.#reader.next()) {
      this.#report.replies += 1;
      this.#owed -= 1;
      const reply = parseReply(line);
      if (reply.kind === "unknown")
        this.#report.faults.push(`The server said ${JSON.stringify(line)}.`);
      if (reply.kind === "granted" || reply.kind === "acquired") {
        this.#report.grants += 1;
        const place = this.#dice.roll(Math.min(50, this.#tokens.length + 1));
        this.#tokens[place] = { key: keyOfLease(reply.lease), token: reply.token };
      }
    }
    if (this.#owed <= 0) this.#paid();
  }
}

async function opened(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.once("connect", () => resolve(true));
    socket.once("close", () => resolve(false));
  });
}

/** A well-behaved client: whatever the others do, it is served, and alone with its lock. */
async function witness(
  port: number,
  key: string,
  held: Map<string, number>,
  report: FuzzReport,
  over: () => boolean,
): Promise<void> {
  const client = await Client.open(port);
  try {
    while (!over()) {
      const token = await client.take(key, { timeout: 60 });
      const holders = (held.get(key) ?? 0) + 1;
      held.set(key, holders);
      if (holders > 1) report.faults.push(`The lock ${key} has ${holders} holders.`);
      await turn();
      held.set(key, (held.get(key) ?? 0) - 1);
      await client.free(key, token);
      report.witnessed += 1;
    }
  } catch (error) {
    report.faults.push(`A well-behaved client was disturbed: ${error}`);
  } finally {
    client.hangUp();
  }
}

/** Looks at all keys: nowhere more holders than slots, nobody in line for what is free. */
async function monitor(port: number, report: FuzzReport, over: () => boolean): Promise<void> {
  const client = await Client.open(port);
  while (!over()) {
    const { locks, semaphores } = await client.stats();
    for (const lock of locks) {
      if (lock.leases?.length !== 1)
        report.faults.push(`Holders of ${lock.key}: ${lock.leases?.length}`);
    }
    for (const { key, holders, limit, waiters } of semaphores) {
      if (holders > limit) report.faults.push(`${key} has ${holders} holders of ${limit}.`);
      if (holders < limit && waiters > 0)
        report.faults.push(`${waiters} wait for ${key}, which is free.`);
    }
    await pause(20);
  }
  client.hangUp();
}

/** Waits until the server is empty again, then asks for its memory. */
async function calm(child: ChildProcess, port: number, report: FuzzReport): Promise<Memory> {
  if (report.faults.length > 0) return { used: 0, rss: 0 };
  const client = await Client.open(port);
  for (let round = 0; ; round += 1) {
    const stats = await client.stats();
    const { connections, locks, semaphores, idle_locks, idle_semaphores } = stats;
    const keys = [...locks, ...semaphores, ...idle_locks, ...idle_semaphores].length;
    if (connections === 1 && keys === 0) break;
    if (round === 600) {
      report.faults.push(
        `A minute later there are still ${connections} connections and ${keys} keys.`,
      );
      break;
    }
    await pause(100);
  }
  client.hangUp();
  await pause(200);
  child.send("memory");
  const [memory] = (await once(child, "message")) as [Memory];
  return memory;
}
