import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

const ROUND_MS = 500;
const SETTLE_MS = 150;

/**
 * One keep-alive connection that takes and frees a lock, again and again, and counts answers. Speaks
 * HTTP by hand: a client library would cost more than the server.
 */
export class HttpWorker {
  requests = 0;
  readonly socket: Socket;
  readonly #acquire: string;
  readonly #release: string;
  #acquiring = true;
  #text = "";

  private constructor(socket: Socket, key: string, session: string) {
    this.socket = socket;
    const head = (operation: string) =>
      `GET /${key}?lock=${operation} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${session}\r\n\r\n`;
    this.#acquire = head("acquire");
    this.#release = head("release");
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#read(chunk.toString("latin1")));
  }

  static async open(port: number, key: string, session: string): Promise<HttpWorker> {
    const socket = connect({ port, host: "127.0.0.1" });
    await once(socket, "connect");
    return new HttpWorker(socket, key, session);
  }

  start(): void {
    this.socket.write(this.#acquire, "latin1");
  }

  #read(text: string): void {
    this.#text += text;
    const head = this.#text.indexOf("\r\n\r\n");
    if (head === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(this.#text)?.[1] ?? 0);
    if (this.#text.length < head + 4 + length) return;
    if (!this.#text.startsWith("HTTP/1.1 200")) throw new Error(this.#text.slice(0, 200));
    this.#text = "";
    this.requests += 1;
    this.#acquiring = !this.#acquiring;
    this.socket.write(this.#acquiring ? this.#acquire : this.#release, "latin1");
  }
}

export async function openSession(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/auth/session`, { method: "POST" });
  return ((await response.json()) as { sessionId: string }).sessionId;
}

let opened = 0;

/** Requests a second, on a connection for each of the sessions. */
export async function httpRate(port: number, sessions: readonly string[]): Promise<number> {
  const workers: HttpWorker[] = [];
  for (const session of sessions) {
    // Its own, also of the round before, which may have ended in the middle of a hold.
    opened += 1;
    workers.push(await HttpWorker.open(port, `key-${opened}`, session));
  }
  for (const worker of workers) worker.start();
  const perSecond = await rateOf(() =>
    workers.reduce((total, worker) => total + worker.requests, 0),
  );
  for (const worker of workers) worker.socket.destroy();
  await pause(SETTLE_MS);
  return perSecond;
}

/** How fast a count grows. Its first moments, on new connections, are not typical. */
export async function rateOf(count: () => number): Promise<number> {
  await pause(SETTLE_MS);
  const [before, start] = [count(), performance.now()];
  await pause(ROUND_MS);
  return ((count() - before) * 1_000) / (performance.now() - start);
}
