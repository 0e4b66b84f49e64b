import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** Asks one request after another, always waiting for the reply, and counts. */
export class Worker {
  requests = 0;
  grants = 0;
  readonly socket: Socket;
  readonly #acquire: string;
  readonly #key: string;
  readonly #replyLines: number;
  #holding = false;
  #running = false;
  #lines = 0;
  #text = "";
  onGrant: () => void = () => {};

  private constructor(socket: Socket, key: string, replyLines: number) {
    this.socket = socket;
    this.#key = key;
    this.#acquire = `l\n${key}\n600 600\n`;
    this.#replyLines = replyLines;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#read(chunk.toString("latin1")));
  }

  /** `introduction`: what it says first, which has one line for an answer. */
  static async open(
    port: number,
    key: string,
    replyLines = 1,
    introduction: Buffer | null = null,
  ): Promise<Worker> {
    const socket = connect({ port, host: "127.0.0.1" });
    await once(socket, "connect");
    if (introduction !== null) {
      socket.write(introduction);
      await once(socket, "data");
    }
    return new Worker(socket, key, replyLines);
  }

  start(): void {
    this.#running = true;
    this.socket.write(this.#acquire, "latin1");
  }

  stop(): void {
    this.#running = false;
  }

  #read(text: string): void {
    for (let index = 0; index < text.length; index += 1) if (text[index] === "\n") this.#lines += 1;
    this.#text += text;
    if (this.#lines < this.#replyLines) return;
    const reply = this.#text;
    this.#lines = 0;
    this.#text = "";
    this.requests += 1;
    if (this.#holding) {
      this.#holding = false;
      if (this.#running) this.socket.write(this.#acquire, "latin1");
      return;
    }
    this.#holding = true;
    this.grants += 1;
    this.onGrant();
    // An echo gives no token; the bytes are as many as if it did.
    const token = this.#replyLines === 1 ? reply.split(" ")[1] : "0".repeat(32);
    this.socket.write(`r\n${this.#key}\n${token}\n`, "latin1");
  }
}

/** Opens connections a few at a time, not to overrun the listener. */
export async function openWorkers(
  count: number,
  open: (index: number) => Promise<Worker>,
): Promise<Worker[]> {
  const workers: Worker[] = [];
  while (workers.length < count) {
    const batch = Math.min(100, count - workers.length);
    workers.push(
      ...(await Promise.all(
        Array.from({ length: batch }, (_, index) => open(workers.length + index)),
      )),
    );
  }
  return workers;
}

export function hangUp(workers: readonly Worker[]): void {
  for (const worker of workers) worker.socket.destroy();
}
