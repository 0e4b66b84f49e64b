import { expect } from "vitest";
import type { Metadata } from "../../../src/lock/owner.ts";
import type { HolderJson, KeyJson } from "../../../src/server/observers/describe.ts";
import { introductionRequest } from "../../../src/wire/introduction.ts";
import type { Client } from "../server/client.ts";
import { startServer, type TestServer } from "../server/server.ts";

export interface PanelServer extends TestServer {
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  /** A client that introduced itself. */
  keeper(id: string, note?: string | null, metadata?: Metadata): Promise<Client>;
  ask(path: string, options?: RequestInit): Promise<Response>;
  /** Only for 200. */
  json<T>(path: string, options?: RequestInit): Promise<T>;
  key(key: string): Promise<KeyJson>;
  locks(): Promise<KeyJson[]>;
  /** Opens a session and acquires; answers the session's id. */
  session(owner?: string): Promise<string>;
  lock(session: string, path: string, operation: string): Promise<Response>;
}

/** A server with both doors. `token`: what requests to the panel show, where one is given. */
export async function startPanel(
  flags: Record<string, string> = {},
  token?: string,
): Promise<PanelServer> {
  const server = await startServer({ "http-port": "0", ...flags });
  const address = `http://127.0.0.1:${server.running.httpPort}`;
  const authorization: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };

  function ask(path: string, options: RequestInit = {}): Promise<Response> {
    return fetch(address + path, { ...options, headers: { ...authorization, ...options.headers } });
  }

  async function json<T>(path: string, options?: RequestInit): Promise<T> {
    const response = await ask(path, options);
    expect(response.status, path).toBe(200);
    return (await response.json()) as T;
  }

  async function keeper(id: string, note: string | null = null, metadata: Metadata = {}) {
    const client = await server.connect();
    if (token !== undefined) await client.ask(`auth\n_\n${token}\n`);
    await client.stats(introductionRequest({ owner: { id, metadata }, note }));
    return client;
  }

  async function session(owner?: string): Promise<string> {
    const response = await ask("/auth/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(owner === undefined ? {} : { owner }),
    });
    expect(response.status).toBe(201);
    return ((await response.json()) as { sessionId: string }).sessionId;
  }

  return {
    ...server,
    address,
    keeper,
    ask,
    json,
    key: (key) => json(`/admin/locks/${encodeURIComponent(key)}`),
    locks: async () => (await json<{ locks: KeyJson[] }>("/admin/locks")).locks,
    session,
    lock: (id, path, operation) =>
      fetch(`${address}/${path}?lock=${operation}`, { headers: { authorization: `Bearer ${id}` } }),
  };
}

/** `DELETE /admin/locks/KEY?…`. */
export function breakPath(key: string, query: Record<string, string>): string {
  return `/admin/locks/${encodeURIComponent(key)}?${new URLSearchParams(query)}`;
}

export interface Broken {
  readonly broken: HolderJson[];
}
