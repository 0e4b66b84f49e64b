import { once } from "node:events";
import { connect, type Socket } from "node:net";

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
