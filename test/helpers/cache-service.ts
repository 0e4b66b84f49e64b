import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { afterEach } from "vitest";
import { listen } from "./ports.ts";

/** How the service answers: as it should, not at all, or with a refusal. */
type Mood = "well" | "denied" | "failing" | "silent";

export interface Entry {
  readonly key: string;
  readonly version: string;
  /** The branch that saved it: the token says which. */
  readonly branch: string;
  content: Buffer;
  finished: boolean;
}

export interface CacheService {
  mood: Mood;
  readonly entries: Entry[];
  /** The names of all calls, in order. */
  readonly calls: readonly string[];
  /** What the runner gives to a stage on this branch. */
  environment(branch?: string): Record<string, string>;
  close(): Promise<void>;
}

const TWIRP = "/twirp/github.actions.results.api.v1.CacheService/";
/** Its entries are seen by all branches. */
const DEFAULT_BRANCH = "main";

const services: CacheService[] = [];

afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

/** Stands in for the Actions cache, second version, and for the blob storage behind it. */
export async function startCacheService(): Promise<CacheService> {
  const entries: Entry[] = [];
  const calls: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void answer(request, response).catch((error) => response.destroy(error));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const url = `http://127.0.0.1:${await listen(server)}`;

  const service: CacheService = {
    mood: "well",
    entries,
    calls,
    environment: (branch = DEFAULT_BRANCH) => ({
      // A host that the toolkit does not take for an Enterprise Server, which has the first version.
      GITHUB_SERVER_URL: "https://github.localhost",
      ACTIONS_CACHE_SERVICE_V2: "true",
      ACTIONS_RESULTS_URL: `${url}/`,
      ACTIONS_RUNTIME_TOKEN: branch,
    }),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  services.push(service);
  return service;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? "/", url).pathname;
    const name = path.startsWith(TWIRP) ? path.slice(TWIRP.length) : `${request.method} blob`;
    calls.push(name);
    const body = await bodyOf(request);
    if (service.mood === "silent") return;
    if (service.mood === "denied") {
      reply(response, 403, { code: "permission_denied", msg: "not for you" });
    } else if (service.mood === "failing") {
      reply(response, 500, { code: "internal", msg: "oh" });
    } else if (path.startsWith("/blob/")) {
      storage(request, response, body, entries[Number(path.slice(6))]);
    } else {
      const branch = (request.headers.authorization ?? "").replace(/^Bearer /, "");
      reply(response, 200, call(name, JSON.parse(body.toString("utf8")), branch));
    }
  }

  function call(name: string, asked: Record<string, string & string[]>, branch: string): object {
    const { key = "", version = "" } = asked;
    switch (name) {
      case "CreateCacheEntry": {
        const isTaken = entries.some((each) => each.key === key && each.version === version);
        if (isTaken) return { ok: false, message: "exists" };
        entries.push({ key, version, branch, content: Buffer.alloc(0), finished: false });
        return { ok: true, signed_upload_url: `${url}/blob/${entries.length - 1}?sig=secret` };
      }
      case "FinalizeCacheEntryUpload": {
        const entry = entries.find((each) => each.key === key && each.version === version);
        if (entry !== undefined) entry.finished = true;
        return { ok: entry !== undefined, entry_id: "1" };
      }
      case "GetCacheEntryDownloadURL": {
        const prefixes = [key, ...(asked.restore_keys ?? [])];
        const found = entries.findLastIndex(
          (each) =>
            each.finished &&
            each.version === version &&
            [branch, DEFAULT_BRANCH].includes(each.branch) &&
            prefixes.some((prefix) => each.key.startsWith(prefix)),
        );
        if (found === -1) return { ok: false };
        const signed = `${url}/blob/${found}?sig=secret`;
        return { ok: true, signed_download_url: signed, matched_key: entries[found]?.key };
      }
      default:
        throw new Error(`the service has no ${name}`);
    }
  }
}

function storage(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  entry: Entry | undefined,
): void {
  if (entry === undefined) {
    reply(response, 404, {});
  } else if (request.method === "PUT") {
    entry.content = body;
    response.writeHead(201, { etag: '"1"', "x-ms-request-id": "1" }).end();
  } else {
    const range = /bytes=(\d+)-(\d*)/.exec(request.headers.range ?? "");
    const first = Number(range?.[1] ?? 0);
    const end = range?.[2] ? Number(range[2]) + 1 : entry.content.length;
    const part = entry.content.subarray(first, end);
    response.writeHead(range === null ? 200 : 206, {
      "content-length": part.length,
      "content-range": `bytes ${first}-${first + part.length - 1}/${entry.content.length}`,
    });
    response.end(request.method === "HEAD" ? undefined : part);
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function reply(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
}
