import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { listen, portOf } from "../helpers/ports.ts";

/** A network between the processes of a proof and their server, which can be cut and slowed down. */
export class ProofNetwork {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  /** Milliseconds that each piece of data takes. */
  latency = 0;

  private constructor(target: number) {
    this.#server = createServer((client) => this.#join(client, target));
  }

  static async start(target: number): Promise<ProofNetwork> {
    const network = new ProofNetwork(target);
    await listen(network.#server);
    return network;
  }

  get port(): number {
    return portOf(this.#server);
  }

  /** Nothing passes any more, and nobody is told: neither an end nor a refusal. */
  cut(): void {
    this.#isCut = true;
  }

  /** New connections pass. Those that were cut have lost bytes, and end. */
  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket, target: number): void {
    const server = connect({ port: target, host: "127.0.0.1" });
    this.#carry(client, server);
    this.#carry(server, client);
  }

  #carry(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on("error", () => {});
    // A chain keeps the bytes in order, however long each piece takes.
    let chain = Promise.resolve();
    from.on("data", (chunk) => {
      if (this.#isCut) return;
      if (this.latency === 0 && to.writableLength === 0)
        chain = chain.then(() => this.#pass(to, chunk));
      else {
        const latency = this.latency;
        chain = chain.then(() => delay(latency)).then(() => this.#pass(to, chunk));
      }
    });
    from.on("close", () => {
      this.#sockets.delete(from);
      if (!this.#isCut) chain = chain.then(() => void to.destroy());
    });
  }

  #pass(to: Socket, chunk: Buffer): void {
    if (!this.#isCut && to.writable) to.write(chunk);
  }
}
