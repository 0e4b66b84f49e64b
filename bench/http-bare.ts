/**
 * Node's own http server with a Map of locks and nothing else, which gives the answers of our door: the
 * limit of what it can do.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const LEASE_MS = 1_800_000;

const locks = new Map<string, number>();
const server = createServer((request, response) => {
  const url = request.url as string;
  const session = request.headers.authorization as string;
  const path = url.slice(0, url.indexOf("?"));
  const now = Date.now();
  const fence = locks.get(path) ?? now * 1_000;
  const acquires = url.endsWith("acquire");
  let body = "";
  if (acquires) {
    locks.set(path, fence);
    const message = "Lock acquired";
    const held = { fence, slot: 0, slots: 1, lockedAt: now, expiresAt: now + LEASE_MS };
    body = JSON.stringify({ message, path, sessionId: session.slice(7, 27), ...held });
  } else {
    locks.delete(path);
    body = JSON.stringify({ message: "Lock released", path, fence });
  }
  response.writeHead(200, {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    ...(acquires ? { "holdfast-fence": fence } : {}),
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening http 127.0.0.1:${(server.address() as AddressInfo).port}`);
});
