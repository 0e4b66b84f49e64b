import { afterEach } from "vitest";
import { HttpClient, SessionClient } from "./http-client.ts";
import { startServer, type TestServer } from "./server.ts";

export interface HttpServer {
  readonly server: TestServer;
  readonly port: number;
  /** Without a session. */
  readonly plain: HttpClient;
  /** With one of its own. */
  session(wish?: object): Promise<SessionClient>;
}

const clients: HttpClient[] = [];

afterEach(() => {
  for (const client of clients.splice(0)) client.hangUp();
});

export function adopt<T extends HttpClient>(client: T): T {
  clients.push(client);
  return client;
}

/** `holdfast serve --http-port 0` in this process, stopped after the test. */
export async function startHttp(
  flags: Record<string, string> = {},
  { token, ca }: { token?: string; ca?: string } = {},
): Promise<HttpServer> {
  const server = await startServer({ "http-port": "0", "shutdown-timeout": "2", ...flags });
  const port = server.running.httpPort as number;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const plain = adopt(new HttpClient(port, headers, ca));
  return { server, port, plain, session: (wish) => openSession(plain, wish, ca) };
}

export async function openSession(
  client: HttpClient,
  wish?: object,
  ca?: string,
): Promise<SessionClient> {
  const body = wish === undefined ? "" : JSON.stringify(wish);
  const answer = await client.ask("/auth/session", { method: "POST", body });
  if (answer.status !== 201) throw new Error(`No session: ${answer.status} ${answer.text}`);
  return adopt(new SessionClient(client.port, answer.json, ca));
}
