import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Etcd } from "../../test/helpers/engines/etcd.ts";
import { alternate, handoffs } from "../file-handoff.ts";
import { quantile } from "../lib/measure.ts";
import { Participants } from "../lib/participants.ts";
import { printAim, printTable, ratio } from "../lib/report.ts";
import { startOurs } from "../server-targets.ts";
import type { BareTask } from "./bare.ts";
import type { RunningRow } from "./rows.ts";

const TURNS = 30;
/** As redlock-action does, and most scripts. */
const POLL_MS = 1_000;
const POLL_TURNS = 8;
const AIM = 2;
const BARE = fileURLToPath(new URL("bare.ts", import.meta.url));

/** From the moment one process begins to release to the moment another one has the lock. */
export async function benchHandoffs(rows: readonly RunningRow[], rounds: number): Promise<void> {
  const ours = await startOurs();
  const pairs = new Map<string, Participants>();
  const start = async (name: string, url: string) =>
    pairs.set(name, await Participants.start(2, url, "handoff"));
  await start("our own server", `tcp://127.0.0.1:${ours.port}`);
  const telling = rows.filter(({ notifies }) => notifies);
  for (const { name, engine } of rows) await start(name, await engine.fresh());
  for (const { name, engine } of telling)
    await start(`${name}, polled every second`, await engine.fresh());
  const bares = new Map<string, Participants<BareTask>>();
  for (const { name, engine } of telling)
    bares.set(name, await Participants.run<BareTask>(2, BARE, [await engine.fresh(), name]));
  const costs = new Map<string, number[]>();
  const add = (name: string, values: readonly number[]) =>
    costs.set(name, [...(costs.get(name) ?? []), ...values]);
  for (let round = 0; round < rounds; round++) {
    for (const [name, pair] of pairs) {
      const isPoll = name.includes("polled");
      const isSlow = isPoll || rows.some((row) => row.name === name && !row.notifies);
      add(name, await alternate(pair, isSlow ? POLL_TURNS : TURNS, isPoll ? POLL_MS : null));
    }
    for (const row of rows) {
      const bare = bares.get(row.name);
      if (bare !== undefined) add(`${row.name}'s own notification`, await notifications(bare));
      if (row.name === "etcd") add("etcdctl lock", await etcdctlLock(row.engine as Etcd));
    }
  }
  for (const pair of [...pairs.values(), ...bares.values()]) await pair.stop();
  await ours.stop();
  const median = (name: string) => quantile(costs.get(name) ?? [], 0.5);
  printTable(
    "Hand-off from one process to the next, milliseconds",
    ["", "median", "99 %", "hand-offs", "to our own server"],
    [...costs].map(([name, values]) => [
      name,
      median(name).toFixed(2),
      quantile(values, 0.99).toFixed(2),
      String(values.length),
      ratio(median(name) / median("our own server")),
    ]),
  );
  for (const { name } of telling) {
    const times = median(name) / median(`${name}'s own notification`);
    printAim(`${name}: ${AIM} times its own notification`, ratio(times), times <= AIM);
  }
  if (!costs.has("etcdctl lock")) return;
  const times = median("etcd") / median("etcdctl lock");
  printAim("etcd: no slower than etcdctl lock", ratio(times), times <= 1);
}

/** From the beginning of a bare write to the moment at which another process was told of it. */
async function notifications(pair: Participants<BareTask>): Promise<number[]> {
  const [one, other] = ["one", "other"];
  return handoffs(
    await Promise.all([
      pair.tell(0, { turns: TURNS, own: one, other, isFirst: true }),
      pair.tell(1, { turns: TURNS, own: other, other: one, isFirst: false }),
    ]),
  );
}

/** Processes of etcd's own tool that wait for each other. Each is told to let go by SIGINT. */
async function etcdctlLock(etcd: Etcd): Promise<number[]> {
  const name = `bench-${Math.random().toString(36).slice(2)}`;
  const begin = () => {
    const args = ["--endpoints", `127.0.0.1:${etcd.port}`, "lock", name];
    const env = { ...process.env, ETCDCTL_API: "3" };
    const child = spawn("etcdctl", args, { env, stdio: ["ignore", "pipe", "inherit"] });
    return { child, granted: once(child.stdout, "data").then(now) };
  };
  const waiting = async () => {
    const { count = "0" } = await etcd.ask("/v3/kv/range", {
      key: Buffer.from(`${name}/`).toString("base64"),
      range_end: Buffer.from(`${name}0`).toString("base64"),
      count_only: true,
    });
    return Number(count);
  };
  const values: number[] = [];
  let holder: { child: ChildProcess; granted: Promise<number> } = begin();
  await holder.granted;
  for (let turn = 0; turn < TURNS; turn++) {
    const next = begin();
    while ((await waiting()) < 2) await delay(5);
    await delay(15);
    const began = now();
    const gone = once(holder.child, "exit");
    holder.child.kill("SIGINT");
    values.push((await next.granted) - began);
    await gone;
    holder = next;
  }
  const gone = once(holder.child, "exit");
  holder.child.kill("SIGINT");
  await gone;
  return values;
}

function now(): number {
  return performance.now();
}
