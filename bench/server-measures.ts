import { fork } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { systemClock } from "../src/lock/time.ts";
import type { Claim } from "../src/server/table/claim.ts";
import { LockTable } from "../src/server/table/table.ts";
import { createTokenMaker } from "../src/wire/token.ts";
import { quantile } from "./lib/measure.ts";
import { hangUp, openWorkers, Worker } from "./server-load.ts";
import { startOurs, type Target } from "./server-targets.ts";

const HAND_OFFS = 1_000;
const PARTNER = fileURLToPath(new URL("./server-partner.ts", import.meta.url));

export async function measureHandOff(target: Target): Promise<string> {
  const delays = await handOffs(target, HAND_OFFS);
  const at = (part: number) => quantile(delays, part).toFixed(3);
  return `hand-off between two processes, ${target.name}: median ${at(0.5)} ms, 99 % ${at(0.99)} ms`;
}

/** Milliseconds from the moment at which one process sends its release to that at which another has the lock. */
export async function handOffs(target: Target, count: number): Promise<number[]> {
  const partner = fork(PARTNER, [String(target.port)]);
  const socket = connect({ port: target.port, host: "127.0.0.1" }).setNoDelay(true);
  const next = async () => ((await once(socket, "data")) as [Buffer])[0].toString().split(" ")[1];
  const delays: number[] = [];
  for (let round = 0; round < count; round += 1) {
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
  return delays;
}

const SHORT_LINE = 100;
const LONG_LINE = 10_000;
const LINE_ROUNDS = 9;

/** What a grant costs the server in a short and in a long line: over sockets, and in the table alone. */
export async function measureLine(): Promise<string> {
  const [short, long] = [await startLine(SHORT_LINE), await startLine(LONG_LINE)];
  const costs: [number, number][] = [];
  for (let round = 0; round < LINE_ROUNDS; round += 1) {
    costs.push([await short.grant(), await long.grant()]);
  }
  await Promise.all([short.stop(), long.stop()]);
  const tableCosts = Array.from({ length: LINE_ROUNDS }, (): [number, number] => [
    grantInTable(SHORT_LINE),
    grantInTable(LONG_LINE),
  ]);
  const lines = `a grant with ${SHORT_LINE} and with ${LONG_LINE.toLocaleString("en")} in line`;
  return [
    `${lines}: ${compareCosts(costs)} of the server`,
    `${lines}, in the table alone: ${compareCosts(tableCosts)}`,
  ].join("\n");
}

function compareCosts(costs: readonly [number, number][]): string {
  const middle = (figures: number[]) =>
    figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)] as number;
  const short = middle(costs.map(([cost]) => cost));
  const long = middle(costs.map(([, cost]) => cost));
  const ratio = middle(costs.map(([one, other]) => other / one));
  return `${short.toFixed(2)} and ${long.toFixed(2)} us of processor time (${ratio.toFixed(2)} times)`;
}

/** A server of its own with so many in line; a client that was served joins it again. */
async function startLine(waiting: number) {
  const target = await startOurs();
  const workers = await openWorkers(waiting + 1, () => Worker.open(target.port, "line"));
  let grants = 0;
  for (const worker of workers) {
    worker.onGrant = () => {
      grants += 1;
    };
  }
  for (const worker of workers) worker.start();
  await pause(2_000);
  for (const worker of workers) worker.socket.pause();
  return {
    /** Microseconds of the server's time for one grant. */
    async grant(): Promise<number> {
      for (const worker of workers) worker.socket.resume();
      await pause(200);
      const [before, start] = [grants, await processorMicroseconds(target.pid)];
      await pause(800);
      const cost = ((await processorMicroseconds(target.pid)) - start) / (grants - before);
      for (const worker of workers) worker.socket.pause();
      await pause(100);
      return cost;
    },
    async stop() {
      hangUp(workers);
      await target.stop();
    },
  };
}

/** One claim joins the line and one is granted. */
function grantInTable(waiting: number): number {
  const table = new LockTable({
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    makeToken: createTokenMaker(),
    maxLocks: 0,
    maxWaiters: 0,
  });
  let holder: Claim | null = null;
  const listener = {
    granted(claim: Claim) {
      holder = claim;
    },
    ended() {},
  };
  for (let index = 0; index <= waiting; index += 1) {
    const claim = table.claim(table.admit(listener), "k", 1, 600_000);
    if (typeof claim !== "string" && claim.state === "held") holder = claim;
  }
  const count = 50_000;
  const start = performance.now();
  for (let index = 0; index < count; index += 1) {
    const { token, party } = holder as unknown as Claim;
    table.release("k", token);
    table.claim(party, "k", 1, 600_000);
  }
  return ((performance.now() - start) * 1_000) / count;
}

export async function measureMemory(connections: number): Promise<string> {
  const target = await startOurs();
  const warm = await openWorkers(100, (index) => Worker.open(target.port, `warm-${index}`));
  hangUp(warm);
  await pause(1_000);
  const before = await residentKilobytes(target.pid);
  const workers = await openWorkers(connections, (index) =>
    Worker.open(target.port, `idle-${index}`),
  );
  await pause(3_000);
  const after = await residentKilobytes(target.pid);
  hangUp(workers);
  await target.stop();
  const each = ((after - before) / connections).toFixed(1);
  const megabytes = [before, after].map((size) => Math.round(size / 1_024)).join(" to ");
  return `${connections.toLocaleString("en")} idle connections: ${each} KiB each (${megabytes} MiB)`;
}

/** NaN where there is no /proc. */
async function residentKilobytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
}

/** Of the main thread, by the scheduler's own count: other processes do not show in it. */
async function processorMicroseconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/task/${pid}/schedstat`, "utf8").catch(() => "NaN");
  return Number(text.split(" ")[0]) / 1_000;
}
