import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { listen } from "../ports.ts";

/** How a swap is recognised among the bytes that pass. */
export interface SwapSigns {
  readonly request: string;
  /** Something that the engine sends only when the swap stands. */
  readonly answer: string;
}

/** A network between clients and an engine that loses one swap's answer when it is told to. */
export class LosingNetwork {
  readonly port: number;
  readonly #lose: { how: "stands" | "never" | null };

  private constructor(port: number, lose: { how: "stands" | "never" | null }) {
    this.port = port;
    this.#lose = lose;
  }

  static async start(target: number, signs: SwapSigns): Promise<LosingNetwork> {
    const lose: { how: "stands" | "never" | null } = { how: null };
    const open = new Set<Socket>();
    const server = createServer((client) => {
      const engine = connect(target, "127.0.0.1");
      let swallowed: string | null = null;
      const cut = () => {
        client.destroy();
        engine.destroy();
      };
      for (const socket of [client, engine]) {
        open.add(socket);
        socket.setNoDelay(true);
        socket.on("error", () => {});
        socket.on("close", cut);
      }
      client.on("data", (chunk) => {
        if (lose.how !== null && chunk.includes(signs.request)) {
          const { how } = lose;
          lose.how = null;
          if (how === "never") return cut();
          swallowed = "";
        }
        engine.write(chunk);
      });
      engine.on("data", (chunk) => {
        if (swallowed === null) client.write(chunk);
        else swallowed += chunk.toString("latin1");
        if (swallowed?.includes(signs.answer)) cut();
      });
    });
    const port = await listen(server);
    onTestFinished(() => {
      for (const socket of open) socket.destroy();
      server.close();
    });
    return new LosingNetwork(port, lose);
  }

  /** The next swap never arrives, or stands without an answer; then its connection is cut. */
  loseNext(how: "stands" | "never"): void {
    this.#lose.how = how;
  }
}
