/**
 * The lock server beside a bare TCP echo of the same lines (the limit of Node's sockets) and, where
 * DFLOCKD_BIN names one, beside a real dflockd. The rounds of all targets are interleaved, so that
 * a busy machine is unfair to each of them alike. `npm run bench:server [seconds]`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { hangUp, openWorkers, Worker } from "./server-load.ts";
import { measureHandOff, measureLine, measureMemory } from "./server-measures.ts";
import { startDflockd, startEcho, startOurs, type Target } from "./server-targets.ts";

const SECONDS = Number(process.argv[2] ?? 2);
const ROUNDS = 5;

async function throughput(
  target: Target,
  connections: number,
  contended: boolean,
): Promise<number> {
  const workers = await openWorkers(connections, (index) =>
    Worker.open(target.port, contended ? "contended" : `key-${index}`, target.replyLines),
  );
  for (const worker of workers) worker.start();
  await pause(200);
  const before = count(workers, contended);
  const start = performance.now();
  await pause(SECONDS * 1_000);
  const done = count(workers, contended) - before;
  const seconds = (performance.now() - start) / 1_000;
  for (const worker of workers) worker.stop();
  hangUp(workers);
  await pause(100);
  return done / seconds;
}

function count(workers: readonly Worker[], contended: boolean): number {
  return workers.reduce((sum, worker) => sum + (contended ? worker.grants : worker.requests), 0);
}

async function compare(
  name: string,
  targets: readonly Target[],
  connections: number,
  contended: boolean,
) {
  const rounds = targets.map(() => [] as number[]);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [index, target] of targets.entries()) {
      rounds[index]?.push(await throughput(target, connections, contended));
    }
  }
  const middle = rounds.map(
    (figures) => figures.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number,
  );
  const [ours = 0] = middle;
  const cells = targets.map(({ name: who }, index) => {
    const figure = middle[index] as number;
    const ratio = index === 0 ? "" : ` (holdfast is ${(ours / figure).toFixed(2)} of it)`;
    return `${who} ${Math.round(figure).toLocaleString("en")}${ratio}`;
  });
  console.log(`${name.padEnd(46)} ${cells.join(", ")}`);
}

const targets = [await startOurs(), await startEcho()];
const dflockd = await startDflockd();
if (dflockd !== null) targets.push(dflockd);
const [ours] = targets as [Target];
console.log(`medians of ${ROUNDS} rounds of ${SECONDS} s`);
for (const connections of [1, 10, 100]) {
  await compare(`requests/s, ${connections} connections, own keys`, targets, connections, false);
}
const lockServers = targets.filter(({ replyLines }) => replyLines === 1);
await compare("grants/s, one key, 10 contenders", lockServers, 10, true);
await compare("grants/s, one key, 100 contenders", lockServers, 100, true);
for (const target of lockServers) console.log(await measureHandOff(target));
console.log(await measureLine(ours));
console.log(await measureMemory(ours, 10_000));
for (const target of targets) await target.stop();
