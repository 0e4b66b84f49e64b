/**
 * The lock server beside a bare TCP echo of the same lines (the limit of Node's sockets) and, where
 * DFLOCKD_BIN names one, beside a real dflockd. Rounds are short and take turns, and ratios are
 * those of neighbouring rounds: so a busy machine is unfair to all of them alike.
 */
import { setTimeout as pause } from "node:timers/promises";
import { hangUp, openWorkers, Worker } from "./server-load.ts";
import { measureHandOff, measureLine, measureMemory } from "./server-measures.ts";
import { startDflockd, startEcho, startOurs, type Target } from "./server-targets.ts";

const ROUNDS = Number(process.argv[2] ?? 15);
const ROUND_MS = 500;
/** The first requests of a round, on new connections, are not typical. */
const SETTLE_MS = 150;

const [ours, echo, dflockd] = await Promise.all([startOurs(), startEcho(), startDflockd()]);
const lockServers = dflockd === null ? [ours] : [ours, dflockd];

console.log(`medians of ${ROUNDS} rounds`);
for (const connections of [1, 10, 100]) {
  const title = `requests/s, ${connections} connections, keys of their own`;
  await compare(title, [...lockServers, echo], (target) => requests(target, connections));
}
for (const contenders of [10, 100]) {
  await compare(`grants/s, one key, ${contenders} contenders`, lockServers, (target) =>
    grants(target, contenders),
  );
}
for (const target of lockServers) console.log(await measureHandOff(target));
for (const target of [ours, echo, dflockd]) await target?.stop();
console.log(await measureLine());
console.log(await measureMemory(10_000));

async function compare(
  title: string,
  targets: readonly Target[],
  measure: (target: Target) => Promise<number>,
): Promise<void> {
  const rounds: number[][] = [];
  for (const target of targets) await measure(target);
  for (let round = 0; round < ROUNDS; round += 1) {
    const figures: number[] = [];
    for (const target of targets) figures.push(await measure(target));
    rounds.push(figures);
  }
  const cells = targets.map(({ name }, index) => {
    const figure = Math.round(median(rounds.map((figures) => figures[index] as number)));
    const ratio = median(
      rounds.map((figures) => (figures[0] as number) / (figures[index] as number)),
    );
    const beside = index === 0 ? "" : ` (ours is ${ratio.toFixed(2)} of it)`;
    return `${name} ${figure.toLocaleString("en")}${beside}`;
  });
  console.log(`${title}: ${cells.join(", ")}`);
}

async function requests(target: Target, connections: number): Promise<number> {
  const workers = await openWorkers(connections, (index) =>
    Worker.open(target.port, `key-${index}`, target.replyLines),
  );
  return rate(workers, (worker) => worker.requests);
}

async function grants(target: Target, contenders: number): Promise<number> {
  const workers = await openWorkers(contenders, () => Worker.open(target.port, "contended"));
  return rate(workers, (worker) => worker.grants);
}

async function rate(
  workers: readonly Worker[],
  count: (worker: Worker) => number,
): Promise<number> {
  const sum = () => workers.reduce((total, worker) => total + count(worker), 0);
  for (const worker of workers) worker.start();
  await pause(SETTLE_MS);
  const [before, start] = [sum(), performance.now()];
  await pause(ROUND_MS);
  const perSecond = ((sum() - before) * 1_000) / (performance.now() - start);
  hangUp(workers);
  await pause(SETTLE_MS);
  return perSecond;
}

function median(figures: number[]): number {
  return figures.sort((a, b) => a - b)[Math.floor(figures.length / 2)] as number;
}
