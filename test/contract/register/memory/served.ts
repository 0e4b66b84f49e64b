import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type Memory, type MemoryOptions, MemoryRegister } from "./register.ts";

/** One call over the wire, a JSON line each way. */
export interface Call {
  readonly id: number;
  readonly name: "read" | "swap" | "changed" | "keys" | "renew" | "end" | "alive" | "cancel";
  readonly args: readonly unknown[];
}

export interface Served {
  readonly port: number;
  close(): Promise<void>;
}

/** Serves a memory to other processes on a loopback port, so that real ones can meet in it. */
export async function serveMemory(memory: Memory, options: MemoryOptions): Promise<Served> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    const register = new MemoryRegister(memory, options);
    const calls = new Map<number, AbortController>();
    socket.on("error", () => {});
    socket.on("close", () => {
      sockets.delete(socket);
      for (const call of calls.values()) call.abort();
    });
    lines(socket).on("line", async (line) => {
      const { id, name, args } = JSON.parse(line) as Call;
      if (name === "cancel") return calls.get(id)?.abort();
      const controller = new AbortController();
      calls.set(id, controller);
      const answer = await obey(register, name, args, controller.signal).then(
        (result) => ({ id, result }),
        (error: Error) => ({ id, error: error.message }),
      );
      calls.delete(id);
      if (!socket.destroyed) socket.write(`${JSON.stringify(answer)}\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as { port: number }).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function obey(
  register: MemoryRegister,
  name: Exclude<Call["name"], "cancel">,
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<unknown> {
  const [first, second, third] = args as [string, string, string];
  switch (name) {
    case "read":
      return register.read(first, { strong: args[1] === true, signal });
    case "swap":
      return register.swap(first, second, third, { signal });
    case "changed":
      return register.changed(first, second, { pause: Number(third), signal });
    case "keys":
      return register.keys({ signal });
    case "renew":
      return register.session(first, Number(second)).renew({ signal });
    case "end":
      return register.session(first, 0).end({ signal });
    case "alive":
      return [...(await register.alive(args[0] as string[], { signal }))];
  }
}

/** A cut connection is no surprise here; readline would throw it into the air. */
function lines(socket: Socket) {
  return createInterface({ input: socket }).on("error", () => {});
}
