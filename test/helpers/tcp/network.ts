import { connect, createServer, type Server, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listen, portOf } from "../ports.ts";

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  /** One side is gone, and the other is not to know. */
  isHalf: boolean;
}

/** A network between client and server that can fail in the ways in which networks do. */
export class Network {
  readonly #listener: Server;
  readonly #pairs = new Set<Pair>();
  readonly #target: () => number;
  #cut = false;
  /** All connections that ever came. */
  accepted = 0;

  private constructor(target: () => number) {
    this.#target = target;
    this.#listener = createServer((client) => this.#join(client));
  }

  /** `target` is asked for each connection: a restarted server has another port. */
  static async start(target: () => number): Promise<Network> {
    const network = new Network(target);
    await listen(network.#listener);
    onTestFinished(() => network.#close());
    return network;
  }

  get port(): number {
    return portOf(this.#listener);
  }

  get url(): string {
    return `tcp://127.0.0.1:${this.port}`;
  }

  /** From now on all bytes are dropped, both ways, without a FIN. Connections still open, and are silent. */
  cut(): void {
    this.#cut = true;
  }

  /** Bytes pass again; what was dropped stays lost. */
  heal(): void {
    this.#cut = false;
  }

  /** Resets the clients' side alone: the server does not notice. Half-open. */
  resetClients(): void {
    for (const { client } of this.#pairs) client.resetAndDestroy();
  }

  /** Resets the server's side alone: the clients do not notice. */
  resetServers(): void {
    for (const pair of this.#pairs) {
      pair.isHalf = true;
      pair.server.resetAndDestroy();
    }
  }

  /** Closes both sides of every connection. */
  hangUp(): void {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
  }

  #join(client: Socket): void {
    this.accepted += 1;
    const server = connect({ port: this.#target(), host: "127.0.0.1" });
    const pair = { client, server, isHalf: false };
    this.#pairs.add(pair);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      from.setNoDelay(true);
      from.on("data", (chunk) => {
        if (!this.#cut && to.writable) to.write(chunk);
      });
      from.on("end", () => {
        if (!this.#cut && !pair.isHalf) to.end();
      });
      from.on("error", () => {});
    }
    // A server that is gone is felt by its clients, unless the network is what is gone.
    server.on("close", () => {
      if (!this.#cut && !pair.isHalf) client.destroy();
    });
  }

  async #close(): Promise<void> {
    this.hangUp();
    this.#listener.close();
  }
}
