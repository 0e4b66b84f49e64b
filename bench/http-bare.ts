/** Node's own http server with a Map of locks and nothing else: the limit of what it can do. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const locks = new Map<string, string>();
const server = createServer((request, response) => {
  const url = request.url as string;
  const session = request.headers.authorization as string;
  const middle = url.indexOf("?");
  const path = url.slice(0, middle);
  const acquires = url.endsWith("acquire");
  if (acquires) locks.set(path, session);
  else locks.delete(path);
  const message = acquires ? "Lock acquired" : "Lock released";
  const body = JSON.stringify({ message, path, sessionId: session });
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
});
server.listen(0, "127.0.0.1", () => {
  console.log(`listening http 127.0.0.1:${(server.address() as AddressInfo).port}`);
});
