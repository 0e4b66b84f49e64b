import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { listen, portOf } from "../ports.ts";

interface Lock {
  lockedBy: string;
  lockedAt: number;
  expiresAt: number;
}

const LOCK_MS = 1_800_000;

/**
 * A server that behaves as the protocol's own does, where that matters to a client: sessions only
 * for those who sign, no waiting, no slots, no fences, and a look before the write.
 */
export class Hengdang {
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #sessions = new Map<string, { createdAt: number; lastUsed: number }>();
  readonly locks = new Map<string, Lock>();
  /** Milliseconds between its look and its write: in between others look as well. */
  raceMs = 0;
  /** Each request as `METHOD path?query`. */
  readonly requests: string[] = [];
  /** How often it told somebody that a lock is theirs. */
  grants = 0;

  static async start(): Promise<Hengdang> {
    const hengdang = new Hengdang();
    await listen(hengdang.#server);
    onTestFinished(() => {
      hengdang.#server.closeAllConnections();
      hengdang.#server.close();
    });
    return hengdang;
  }

  get url(): string {
    return `http://127.0.0.1:${portOf(this.#server)}`;
  }

  /** A session, as a client that can sign would get one. */
  session(): string {
    const id = randomBytes(32).toString("hex");
    this.#sessions.set(id, { createdAt: Date.now(), lastUsed: Date.now() });
    return id;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests.push(`${request.method} ${request.url}`);
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const say = (status: number, body?: object) => {
      response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
      response.end(body === undefined ? "" : JSON.stringify(body));
    };
    request.resume();
    await once(request, "end");
    if (path === "/auth/session" && request.method === "POST") {
      return say(400, { error: "Bad Request", message: "Invalid event" });
    }
    const id = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
    const session = this.#sessions.get(id);
    if (session === undefined) {
      return say(401, { error: "Unauthorized", message: "No valid session" });
    }
    session.lastUsed = Date.now();
    if (path === "/auth/session") {
      if (request.method === "GET") return say(200, { ...session, expiresAt: Date.now() + 6e8 });
      this.#sessions.delete(id);
      return say(204);
    }
    if (/\.\.|\/\//.test(path)) return say(400, { error: "Invalid path" });
    switch (new URLSearchParams(query).get("lock")) {
      case "acquire":
        return this.#acquire(path, id, say);
      case "release":
      case "refresh":
        return this.#change(path, id, query.includes("release"), say);
      case "status":
        return say(200, this.#status(path, id));
      default:
        return say(404, { error: "File not found" });
    }
  }

  async #acquire(path: string, id: string, say: Say): Promise<void> {
    const lock = this.#living(path);
    if (lock !== undefined && lock.lockedBy !== id) {
      const { lockedBy, expiresAt } = lock;
      return say(423, { error: "File is locked", lockedBy, expiresAt });
    }
    if (this.raceMs > 0) await delay(this.raceMs);
    const now = Date.now();
    this.locks.set(path, { lockedBy: id, lockedAt: now, expiresAt: now + LOCK_MS });
    this.grants += 1;
    say(200, { message: "Lock acquired", path, sessionId: id });
  }

  #change(path: string, id: string, isRelease: boolean, say: Say): void {
    const lock = this.locks.get(path);
    if (lock?.lockedBy !== id) {
      say(404, { error: "Lock not found or not owned by session" });
      return;
    }
    if (isRelease) this.locks.delete(path);
    else lock.expiresAt = Date.now() + LOCK_MS;
    say(200, { message: isRelease ? "Lock released" : "Lock refreshed", path });
  }

  #status(path: string, id: string): object {
    const lock = this.#living(path);
    if (lock === undefined) return { locked: false, ownedByThisSession: false };
    const isOwn = lock.lockedBy === id;
    return { locked: !isOwn, lock, ownedByThisSession: isOwn };
  }

  #living(path: string): Lock | undefined {
    const lock = this.locks.get(path);
    return lock !== undefined && lock.expiresAt > Date.now() ? lock : undefined;
  }
}

type Say = (status: number, body?: object) => void;
