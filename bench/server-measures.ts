import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/lock/clock.ts";
import { LockTable } from "../src/server/table.ts";
import { createTokenMaker } from "../src/wire/token.ts";
import { hangUp, openWorkers, Worker } from "./server-load.ts";
import type { Target } from "./server-targets.ts";

const HAND_OFFS = 1_000;
const PARTNER = fileURLToPath(new URL("./server-partner.ts", import.meta.url));

/** From the moment at which one process sends its release to that at which another has the lock. */
export async function measureHandOff(target: Target): Promise<string> {
  const partner = fork(PARTNER, [String(target.port)]);
  const socket = connect({ port: target.port, host: "127.0.0.1" }).setNoDelay(true);
  const next = async () => ((await once(socket, "data")) as [Buffer])[0].toString().split(" ")[1];
  const delays: number[] = [];
  for (let round = 0; round < HAND_OFFS; round += 1) {
    socket.write("l\nhand-off\n600\n");
    const token = await next();
    partner.send("wait");
    await once(partner, "message");
    // Its request is on the way; this is longer than it needs.
    await pause(2);
    const start = systemClock.monotonic();
    socket.write(`r\nhand-off\n${token}\n`);
    const [granted] = (await once(partner, "message")) as [number];
    delays.push(granted - start);
    partner.send("free");
    await once(partner, "message");
  }
  socket.destroy();
  partner.kill();
  delays.sort((a, b) => a - b);
  const at = (part: number) => (delays[Math.floor(delays.length * part)] as number).toFixed(3);
  return `hand-off between two processes, ${target.name}: median ${at(0.5)} ms, 99 % ${at(0.99)} ms`;
}

const LINES = [100, 10_000];

/** What a grant costs in a short and in a long line: over sockets, and in the table alone. */
export async function measureLine(target: Target): Promise<string> {
  const overSockets = await Promise.all([]).then(async () => {
    const costs: number[] = [];
    for (const waiting of LINES) costs.push(await grantInLine(target, waiting));
    return costs;
  });
  const inTable = LINES.map(grantInTable);
  const show = (costs: number[]) =>
    `${costs.map((cost) => cost.toFixed(2)).join(" and ")} us, ${((costs[1] as number) / (costs[0] as number)).toFixed(2)} times`;
  return [
    `a grant with ${LINES.join(" and ")} in line, over sockets: ${show(overSockets)}`,
    `a grant with ${LINES.join(" and ")} in line, table alone: ${show(inTable)}`,
  ].join("\n");
}

async function grantInLine(target: Target, waiting: number): Promise<number> {
  const workers = await openWorkers(waiting + 1, () => Worker.open(target.port, `line-${waiting}`));
  let grants = 0;
  for (const worker of workers) {
    worker.onGrant = () => {
      grants += 1;
    };
    worker.start();
  }
  const rounds: number[] = [];
  await pause(2_000);
  for (let round = 0; round < 5; round += 1) {
    const [before, start] = [grants, performance.now()];
    await pause(1_000);
    rounds.push(((performance.now() - start) * 1_000) / (grants - before));
  }
  hangUp(workers);
  await pause(1_000);
  return rounds.sort((a, b) => a - b)[2] as number;
}

function grantInTable(waiting: number): number {
  const table = new LockTable({
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    makeToken: createTokenMaker(),
    maxLocks: 0,
    maxWaiters: 0,
  });
  let token = "";
  const listener = {
    granted: (claim: { token: string }) => {
      token = claim.token;
    },
    ended() {},
  };
  const party = table.admit(listener);
  const first = table.claim(party, "k", 1, 600_000);
  if (typeof first !== "string") token = first.token;
  for (let index = 0; index < waiting; index += 1) table.claim(party, "k", 1, 600_000);
  const rounds = Array.from({ length: 7 }, () => {
    const start = performance.now();
    for (let count = 0; count < 50_000; count += 1) {
      table.release("k", token);
      table.claim(party, "k", 1, 600_000);
    }
    return ((performance.now() - start) * 1_000) / 50_000;
  });
  return rounds.sort((a, b) => a - b)[3] as number;
}

export async function measureMemory(target: Target, connections: number): Promise<string> {
  const before = await residentKilobytes(target.pid);
  if (before === null) return "memory per connection: needs /proc";
  const workers = await openWorkers(connections, (index) =>
    Worker.open(target.port, `idle-${index}`),
  );
  await pause(2_000);
  const after = (await residentKilobytes(target.pid)) as number;
  hangUp(workers);
  const each = (after - before) / connections;
  return `${connections.toLocaleString("en")} idle connections: ${each.toFixed(1)} KiB each (${Math.round(before / 1_024)} to ${Math.round(after / 1_024)} MiB)`;
}

async function residentKilobytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const match = /^VmRSS:\s+(\d+) kB/m.exec(status);
  return match === null ? null : Number(match[1]);
}
