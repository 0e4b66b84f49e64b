import { once } from "node:events";
import { createServer, type Server } from "node:net";

const LOWEST = 10_000;
/** Linux begins at 32,768, others at 49,152. */
const LOWEST_OUTGOING = 32_768;

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

/**
 * A port on which nothing listens, for programs that cannot choose one and say which, or that are
 * started on it again. It lies below those that systems give to outgoing connections: one of these
 * could take the port while its program is away.
 */
export async function unusedPort(): Promise<number> {
  for (;;) {
    const server = createServer();
    const port = LOWEST + Math.floor(Math.random() * (LOWEST_OUTGOING - LOWEST));
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return port;
  }
}
