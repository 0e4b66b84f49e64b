import { once } from "node:events";
import { createServer, type Server } from "node:net";

/** Lets a server of a test listen on a free port of this machine, and answers which one that is. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return portOf(server);
}

export function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  return address.port;
}

/** A port on which nothing listens any more, for programs that cannot choose one and say which. */
export async function unusedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return port;
}
