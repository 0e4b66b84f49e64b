import { join } from "node:path";
import { introductionRequest } from "../../../src/wire/introduction.ts";
import { temporaryDirectory } from "../directories.ts";
import type { Client } from "./client.ts";
import { connectTo, type ServerProcess, startProcess } from "./server.ts";

/** A server with a data file, that comes back on its port after its end. */
export class Restartable {
  readonly file: string;
  readonly #args: readonly string[];
  #server: ServerProcess;

  private constructor(file: string, args: readonly string[], server: ServerProcess) {
    this.file = file;
    this.#args = args;
    this.#server = server;
  }

  static async start(args: readonly string[] = [], directory?: string): Promise<Restartable> {
    const file = join(directory ?? temporaryDirectory(), "locks.db");
    const all = ["--data", file, ...args];
    return new Restartable(file, all, await startProcess(all));
  }

  get port(): number {
    return this.#server.port;
  }

  /** Null: without `--http-port`. */
  get httpPort(): number | null {
    return this.#server.httpPort;
  }

  get log(): string {
    return this.#server.stderr();
  }

  get pid(): number {
    return this.#server.child.pid as number;
  }

  /** Ends it, by default as a crash would, and starts it again. */
  async restart(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.end(signal);
    await this.startAgain();
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    this.#server.child.kill(signal);
    await this.#server.ended;
  }

  async startAgain(): Promise<void> {
    const ports = ["--port", String(this.port)];
    const { httpPort } = this;
    if (httpPort !== null) ports.push("--http-port", String(httpPort));
    this.#server = await startProcess([...this.#args, ...ports]);
  }

  /** Resolves when everything of before is on the disk: a grant is told when it is there, with all that came first. */
  async written(): Promise<void> {
    const keeper = await this.keeper("writer");
    await keeper.free("written", await keeper.take("written"));
  }

  /** A client that is nobody in particular, as dflockd's are. */
  plain(): Promise<Client> {
    return connectTo(this.port);
  }

  /** A client that introduced itself; `claim`: as one of the connections of that claim. */
  async keeper(id: string, claim?: string): Promise<Client> {
    const client = await this.plain();
    const owner = { id, metadata: { workflow: "deploy" } };
    const which = claim === undefined ? {} : { claim };
    await client.stats(introductionRequest({ owner, note: null, ...which }));
    return client;
  }
}
