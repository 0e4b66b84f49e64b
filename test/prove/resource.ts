import { connect, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { listen, portOf } from "../helpers/ports.ts";

/** Older elements are forgotten, so that a set stays small over a long run. */
const KEPT = 64;

export type Ask =
  /** Null: the resource does not ask for it. */
  { readonly key: string; readonly fence: number | null } & (
    | { readonly ask: "read" }
    | { readonly ask: "write"; readonly elements: readonly string[] }
  );

/** To a read: the elements. To a write: whether it stands. A read with an old fence is answered, and in vain. */
export type Answer = { readonly elements: readonly string[] } | { readonly stands: boolean };

/**
 * What a lock protects: a set that is read, changed and written back as a whole, so that a writer
 * with an old copy destroys what others added. It stands outside the store, as a database does.
 * With fences it refuses a writer whose fence is lower than one it has seen, as the docs advise, also
 * in a read: else a writer that wakes between another's read and its write would be destroyed by that.
 */
export class Resource {
  /** Elements whose write was confirmed and which a later write destroyed. */
  readonly lost: string[] = [];
  writes = 0;
  refused = 0;
  readonly #sets = new Map<string, readonly string[]>();
  readonly #fences = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  readonly #server: Server = createServer((socket) => this.#serve(socket));

  static async start(): Promise<Resource> {
    const resource = new Resource();
    await listen(resource.#server);
    return resource;
  }

  get port(): number {
    return portOf(this.#server);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
    const lines = createInterface({ input: socket });
    // A process that is killed resets its connection, which the reader of lines hears as well.
    lines.on("error", () => {});
    lines.on("line", (line) => {
      socket.write(`${JSON.stringify(this.#answer(JSON.parse(line) as Ask))}\n`);
    });
  }

  #answer(ask: Ask): Answer {
    const present = this.#sets.get(ask.key) ?? [];
    const newest = Math.max(this.#fences.get(ask.key) ?? 0, ask.fence ?? 0);
    this.#fences.set(ask.key, newest);
    if (ask.ask === "read") return { elements: present };
    if (ask.fence !== null && ask.fence < newest) {
      this.refused++;
      return { stands: false };
    }
    const next = ask.elements.slice(-KEPT);
    const kept = new Set(next);
    const pushedOut = Math.max(0, ask.elements.length - KEPT);
    const expected = present.slice(present.length >= KEPT ? pushedOut : 0);
    this.lost.push(...expected.filter((element) => !kept.has(element)));
    this.#sets.set(ask.key, next);
    this.writes++;
    return { stands: true };
  }
}

/** Asks the resource at this port, one question after the other. */
export function openResource(port: number): (question: Ask) => Promise<Answer> {
  const socket = connect({ port, host: "127.0.0.1" }).setNoDelay(true);
  const waiting: ((answer: Answer) => void)[] = [];
  createInterface({ input: socket }).on("line", (line) => waiting.shift()?.(JSON.parse(line)));
  return (question) =>
    new Promise((resolve) => {
      waiting.push(resolve);
      socket.write(`${JSON.stringify(question)}\n`);
    });
}
