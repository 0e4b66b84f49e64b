/**
 * The least that a server with durable locks does in Node: reads requests from sockets, has a thread
 * write them with SQLite, all that came meanwhile as one commit, and answers what is on the disk.
 */
import { createServer, type Socket } from "node:net";
import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from "node:worker_threads";
import { openDatabase } from "../../src/server/storage/schema.ts";

interface Request {
  readonly claims: boolean;
  readonly key: string;
  readonly fence: number;
}

const TOKEN = "0".repeat(32);
const HOLD = "x".repeat(200);

function write(file: string, port: MessagePort): void {
  const database = openDatabase(file);
  const insertLease = database.prepare(
    `INSERT OR REPLACE INTO leases (key, fence, slots, slot, token, since, waited, lease, expires_at)
     VALUES (?, ?, 1, 0, '${TOKEN}', 1, 0, 33000, 1)`,
  );
  const raiseFence = database.prepare(
    `INSERT INTO fences (key, fence) VALUES (?, ?)
     ON CONFLICT (key) DO UPDATE SET fence = max(fence, excluded.fence)`,
  );
  const deleteLease = database.prepare("DELETE FROM leases WHERE key = ? AND fence = ?");
  const insertHold = database.prepare("INSERT INTO holds (key, hold) VALUES (?, ?)");
  port.on("message", (first: readonly Request[]) => {
    const all = [first];
    for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
      all.push(more.message);
    database.exec("BEGIN IMMEDIATE");
    for (const { claims, key, fence } of all.flat()) {
      if (claims) {
        insertLease.run(key, fence);
        raiseFence.run(key, fence);
      } else {
        deleteLease.run(key, fence);
        insertHold.run(key, HOLD);
      }
    }
    database.exec("COMMIT");
    port.postMessage(all.length);
  });
}

function serve(file: string): void {
  const worker = new Worker(new URL(import.meta.url), { workerData: file });
  const fences = new Map<string, number>();
  const written: (readonly Socket[])[] = [];
  let requests: Request[] = [];
  let sockets: Socket[] = [];
  let last = 0;
  const send = () => {
    worker.postMessage(requests);
    written.push(sockets);
    [requests, sockets] = [[], []];
  };
  worker.on("message", (orders: number) => {
    for (const socket of written.splice(0, orders).flat()) socket.write(`ok ${TOKEN} 33\n`);
  });
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      const [command = "", key = ""] = chunk.toString("latin1").split("\n", 2);
      if (!"lr".includes(command)) {
        socket.write("ok\n");
        return;
      }
      const claims = command === "l";
      const fence = claims ? ++last : (fences.get(key) ?? 0);
      fences.set(key, fence);
      if (requests.length === 0) setImmediate(send);
      requests.push({ claims, key, fence });
      sockets.push(socket);
    });
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as { port: number };
    process.stdout.write(`listening tcp 127.0.0.1:${port}\n`);
  });
}

if (parentPort === null) serve(process.argv[2] ?? "");
else write(workerData as string, parentPort);
