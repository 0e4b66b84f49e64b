import { startServer, type TestServer } from "../server/server.ts";

/** A server with an HTTP door, in this process. */
export async function served(
  flags: Record<string, string> = {},
): Promise<TestServer & { readonly httpPort: number; readonly url: string }> {
  // Connections that were cut without a FIN would keep it from stopping.
  const defaults = { "http-port": "0", "shutdown-timeout": "1" };
  const server = await startServer({ ...defaults, ...flags });
  const { httpPort } = server.running;
  if (httpPort === null) throw new Error("the server has no HTTP");
  return { ...server, httpPort, url: `http://127.0.0.1:${httpPort}` };
}

export function local(port: number | null): string {
  return `http://127.0.0.1:${port}`;
}
