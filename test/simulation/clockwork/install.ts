import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import threads from "node:worker_threads";
import type { Actor } from "./actor.ts";
import { SimulatedThread } from "./disk.ts";
import { installGlobals, present } from "./globals.ts";
import type { Network } from "./network.ts";

let network: Network | null = null;

/** Makes a network the one in which sockets are opened. */
export function plug(next: Network | null): void {
  network = next;
}

function wired(): Network {
  if (network === null) throw new Error("There is no network in this simulation.");
  return network;
}

function running(): Actor {
  const { actor } = present();
  if (actor === null) throw new Error("Nobody runs who could open a socket.");
  return actor;
}

/** Listens in the simulated network. Without Node's own event for it, which would start real timers. */
function listen(this: net.Server, { port }: { port: number }, done: () => void): net.Server {
  wired().listen(running(), port, this);
  process.nextTick(done);
  return this;
}

function close(this: net.Server, done: () => void): net.Server {
  wired().close(this, done);
  return this;
}

function address(this: net.Server): { address: string; port: number } {
  return { address: "127.0.0.1", port: wired().portOf(this) };
}

/**
 * Puts time, chance, network and disk of the simulation in the place of the real ones, under the
 * shipped code as it is. Before the first simulation, and for good.
 */
export function install(): void {
  installGlobals();
  const connect = ({ port }: { port: number }) => wired().connect(running(), port);
  Object.assign(net, { connect, createConnection: connect });
  Object.assign(net.Server.prototype, { listen, close, address });
  Object.assign(threads, { Worker: SimulatedThread });
  const limits = { userLimits: { open_files: { soft: 4_096 } } };
  process.report.getReport = () => limits;
  for (const name of Object.keys(process.env)) if (/proxy/i.test(name)) delete process.env[name];
  syncBuiltinESMExports();
}
