import { once } from "node:events";
import { rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openDatabase } from "../src/server/storage/schema.ts";
import { formatRequest, statsRequest } from "../src/wire/request.ts";
import { openSession, rateOf } from "./http-load.ts";
import { type Served, startServed } from "./http-targets.ts";
import { quantile } from "./lib/measure.ts";
import { hangUp, openWorkers, Worker } from "./server-load.ts";

const HAND_OFFS = 500;
const GRANTS = 2_000;
const STARTS = 5;
/** With it a connection is a keeper's, whose lock outlives a restart of the server. */
const INTRODUCTION = Buffer.from(formatRequest(statsRequest("holdfast/1 ", "bench")));

/** From the release of one session to the grant of another that waits with `&wait`. */
export async function measureHttpHandOff({ httpPort }: Served): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const sessions = [await openSession(httpPort), await openSession(httpPort)];
  const ask = (session: number, query: string) =>
    new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${sessions[session]}` };
      get({ port: httpPort, path: `/hand-off?lock=${query}`, agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${query}: ${response.statusCode}`));
        response.resume().on("end", resolve);
      }).on("error", reject);
    });
  const delays: number[] = [];
  await ask(0, "acquire");
  for (let round = 0; round < HAND_OFFS; round += 1) {
    const [holder, waiter] = [round % 2, (round + 1) % 2];
    const granted = ask(waiter, "acquire&wait=60").then(() => performance.now());
    await pause(3);
    const start = performance.now();
    const released = ask(holder, "release");
    delays.push((await granted) - start);
    await released;
  }
  agent.destroy();
  const at = (part: number) => quantile(delays, part).toFixed(2);
  return `hand-off through &wait: median ${at(0.5)} ms, 99 % ${at(0.99)} ms (aim: 3 ms median)`;
}

/** One lock taken and freed over TCP, by a nameless client and by a keeper, without and with a data file. */
export async function measureGrants(directory: string): Promise<string> {
  const file = join(directory, "grants.db");
  const servers = [await startServed("", []), await startServed("", ["--data", file])];
  const cells: string[] = [];
  for (const named of [false, true]) {
    const costs: number[] = [];
    for (const server of servers) costs.push(await pairCost(server.port, named));
    const [without, withData] = costs as [number, number];
    const who = named ? "a keeper" : "a nameless client";
    cells.push(
      `${who} ${without.toFixed(0)} us, with --data ${withData.toFixed(0)} us (${(withData / without).toFixed(2)}x)`,
    );
  }
  for (const server of servers) await server.stop();
  return `take and free over TCP: ${cells.join("; ")}`;
}

/** Microseconds of a claim and its release, one after another. A keeper has a name. */
export async function pairCost(port: number, named: boolean, pairs = GRANTS): Promise<number> {
  const socket = connect({ port, host: "127.0.0.1" }).setNoDelay(true);
  const ask = async (text: string | Buffer) => {
    socket.write(text);
    return ((await once(socket, "data")) as [Buffer])[0].toString();
  };
  if (named) await ask(INTRODUCTION);
  const costs: number[] = [];
  for (let round = 0; round < pairs; round += 1) {
    const start = performance.now();
    const token = (await ask("l\ngrant\n0\n")).split(" ")[1];
    await ask(`r\ngrant\n${token}\n`);
    costs.push((performance.now() - start) * 1_000);
  }
  socket.destroy();
  return quantile(costs, 0.5);
}

/** Claims and releases a second of so many keepers, each with a key of its own. */
export async function keeperPairs(port: number, keepers: number): Promise<number> {
  const workers = await openWorkers(keepers, (index) =>
    Worker.open(port, `keeper-${index}`, 1, INTRODUCTION),
  );
  for (const worker of workers) worker.start();
  const rate = await rateOf(() => workers.reduce((total, { grants }) => total + grants, 0));
  hangUp(workers);
  return rate;
}

/** From the start of the process to its open doors, with so many holds in the data file. */
export async function measureStart(directory: string, rows: number): Promise<string> {
  const file = join(directory, "start.db");
  const times: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    rmSync(file, { force: true });
    rmSync(`${file}-wal`, { force: true });
    fill(file, rows);
    const start = performance.now();
    const server = await startServed("", ["--http-port", "0", "--data", file]);
    times.push(performance.now() - start);
    await server.stop();
  }
  return `start with ${rows.toLocaleString("en")} holds in the data file: ${quantile(times, 0.5).toFixed(0)} ms`;
}

function fill(file: string, rows: number): void {
  const database = openDatabase(file);
  const insert = database.prepare("INSERT INTO holds (key, hold) VALUES (?, ?)");
  const metadata = { workflow: "deploy", job: "production", repository: "acme/shop" };
  database.exec("BEGIN");
  for (let row = 0; row < rows; row += 1) {
    const since = new Date(1_700_000_000_000 + row * 1_000).toISOString();
    const hold = { owner: `ci-github-${row}-1-deploy`, since, waited: 10, held: 360_000 };
    const rest = { fence: row + 1, slot: 0, end: "released", metadata };
    insert.run(`key-${row % 1_000}`, JSON.stringify({ ...hold, ...rest }));
  }
  database.exec("COMMIT; PRAGMA journal_mode = DELETE");
  database.close();
}
