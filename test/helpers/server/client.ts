import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { LineReader } from "../../../src/wire/line-reader.ts";
import { parseReply } from "../../../src/wire/reply.ts";
import {
  acquireRequest,
  formatRequest,
  type Request,
  releaseRequest,
} from "../../../src/wire/request.ts";
import { parseStats, type Stats } from "../../../src/wire/stats.ts";

/** A client that does exactly what a test tells it, on a real socket. */
export class Client {
  readonly socket: Socket;
  /** Lines that came and nobody asked for yet. */
  readonly lines: string[] = [];
  ended = false;
  readonly #reader = new LineReader();
  readonly #end: Promise<void>;
  readonly #asking: { resolve: (line: string) => void; reject: (error: Error) => void }[] = [];

  constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#reader.push(chunk);
      for (let line = this.#reader.next(); line !== null; line = this.#reader.next()) {
        const asking = this.#asking.shift();
        if (asking === undefined) this.lines.push(line);
        else asking.resolve(line);
      }
    });
    socket.on("error", () => {});
    this.#end = new Promise((resolve) => {
      const end = () => {
        this.ended = true;
        for (const asking of this.#asking.splice(0)) asking.reject(new Error("The server closed."));
        resolve();
      };
      socket.on("end", end);
      socket.on("close", end);
    });
  }

  static async open(port: number): Promise<Client> {
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    await once(socket, "connect");
    return new Client(socket);
  }

  static async openTls(port: number, options: ConnectionOptions): Promise<Client> {
    const socket = connectTls({ port, host: "127.0.0.1", ...options });
    await once(socket, "secureConnect");
    return new Client(socket);
  }

  send(bytes: string | Buffer | Request): void {
    const plain = typeof bytes === "string" || Buffer.isBuffer(bytes);
    this.socket.write(plain ? bytes : formatRequest(bytes));
  }

  /** The next line. Rejects when the server has closed. */
  line(): Promise<string> {
    const line = this.lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.ended) return Promise.reject(new Error("The server closed."));
    return new Promise((resolve, reject) => this.#asking.push({ resolve, reject }));
  }

  ask(bytes: string | Buffer | Request): Promise<string> {
    this.send(bytes);
    return this.line();
  }

  /** Takes a lock or slot and returns its token. */
  async take(
    key: string,
    terms: { timeout?: number; limit?: number; lease?: number } = {},
  ): Promise<string> {
    const reply = parseReply(await this.ask(acquireRequest({ key, timeout: 30, ...terms })));
    if (reply.kind !== "granted")
      throw new Error(`The lock ${key} was not granted: ${reply.kind}.`);
    return reply.token;
  }

  async free(key: string, token: string): Promise<void> {
    const reply = await this.ask(releaseRequest({ key, token }));
    if (reply !== "ok") throw new Error(`The lock ${key} was not freed: ${reply}.`);
  }

  async stats(request: string | Request = "stats\n_\n\n"): Promise<Stats> {
    const reply = parseReply(await this.ask(request));
    const stats = reply.kind === "stats" ? parseStats(reply.json) : null;
    if (stats === null) throw new Error("That was no reply to stats.");
    return stats;
  }

  /** Resolves when the server has closed its side. */
  untilClosed(): Promise<void> {
    return this.ended ? Promise.resolve() : this.#end;
  }

  /** Closes the sending side only. */
  finish(): void {
    this.socket.end();
  }

  /** Gone at once, as when the process dies. */
  hangUp(): void {
    this.socket.destroy();
  }

  /** Gone with a reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}
