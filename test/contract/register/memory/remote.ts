import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { LockError } from "../../../../src/lock/errors.ts";
import type { Life } from "../../../../src/stores/document/life.ts";
import { type DocumentStore, openDocumentStore } from "../../../../src/stores/document/store.ts";
import type { Timing } from "../../../../src/stores/document/timing.ts";
import type { CallOptions, Register } from "../../../../src/stores/engines/register.ts";
import { sessionOn } from "../../../../src/stores/engines/sessions.ts";
import { ServerClock } from "../../../../src/stores/remote/server-clock.ts";
import type { Call } from "./served.ts";

/** How a process of the contract suite opens the store: plain JSON. */
export interface RemoteOptions {
  readonly push: boolean;
  readonly signs: boolean;
  readonly timing?: Partial<Timing>;
  readonly life?: Life;
}

/** The contract suite's way to a store that has no scheme: `memory://127.0.0.1:PORT`. */
export async function open(url: string, options: RemoteOptions): Promise<DocumentStore> {
  const register = remoteRegister(url, options);
  const { timing = {}, life } = options;
  return openDocumentStore(register, { timing, ...(life === undefined ? {} : { life }) });
}

/** A register in another process's memory. It connects when it is first used. */
export function remoteRegister(url: string, options: RemoteOptions): Register {
  let line: Line | null = null;
  const call = async (
    name: Call["name"],
    args: readonly unknown[],
    { signal }: CallOptions = {},
  ) => {
    signal?.throwIfAborted();
    line ??= new Line(Number(new URL(url).port));
    return line.call(name, args, signal);
  };
  const clock = new ServerClock();
  const register: Register = {
    url,
    traits: {
      push: options.push,
      backoff: [2, 50],
      ...(options.signs ? { signs: { leastDeadAfter: 500 } } : {}),
    },
    clock,
    async read(key, each) {
      const sentAt = performance.now();
      const version = await call("read", [key, each?.strong ?? false], each);
      // The server of the memory runs on this machine, as its answers would tell.
      clock.heard(Date.now(), sentAt);
      return version as never;
    },
    swap: (key, version, next, each) => call("swap", [key, version, next], each) as never,
    changed: async (key, version, each) =>
      void (await call("changed", [key, version, each.pause], each)),
    session: (id, deadAfter) => {
      const renew = async (each?: CallOptions) => void (await call("renew", [id, deadAfter], each));
      const end = async (each?: CallOptions) => void (await call("end", [id], each));
      return sessionOn(register, { id, deadAfter, stage: "new" }, { begin: renew, renew, end });
    },
    alive: async (ids, each) => new Map((await call("alive", [ids], each)) as [string, boolean][]),
    keys: (each) => call("keys", [], each) as never,
    close: async () => line?.end(),
  };
  return register;
}

class Line {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #calls = 0;

  constructor(port: number) {
    this.#socket = connect(port, "127.0.0.1");
    this.#socket.setNoDelay(true);
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      const gone = new LockError("STORE_UNREACHABLE", "The memory's server is gone.");
      for (const { reject } of this.#waiting.values()) reject(gone);
      this.#waiting.clear();
    });
    lines(this.#socket).on("line", (line) => {
      const { id, result, error } = JSON.parse(line);
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) waiting?.resolve(result);
      else waiting?.reject(new LockError("STORE_UNREACHABLE", error));
    });
  }

  async call(
    name: Call["name"],
    args: readonly unknown[],
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    if (this.#socket.destroyed)
      throw new LockError("STORE_UNREACHABLE", "The memory's server is gone.");
    const id = ++this.#calls;
    const answer = Promise.withResolvers<unknown>();
    this.#waiting.set(id, answer);
    this.#socket.write(`${JSON.stringify({ id, name, args })}\n`);
    const cancel = () => {
      this.#waiting.delete(id);
      if (!this.#socket.destroyed)
        this.#socket.write(`${JSON.stringify({ id, name: "cancel", args: [] })}\n`);
      answer.reject(signal?.reason);
    };
    signal?.addEventListener("abort", cancel);
    try {
      return await answer.promise;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  end(): void {
    this.#socket.destroy();
  }
}

/** A cut connection is no surprise here; readline would throw it into the air. */
function lines(socket: Socket) {
  return createInterface({ input: socket }).on("error", () => {});
}
