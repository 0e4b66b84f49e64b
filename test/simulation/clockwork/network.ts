import type { Server } from "node:net";
import type { Random } from "../../../src/forecast/seeded.ts";
import type { Actor } from "./actor.ts";
import { SimulatedSocket, type Wire } from "./socket.ts";
import type { Universe } from "./universe.ts";

/** TCP's probes, as both doors and both clients ask for them: ten seconds of silence, ten probes. */
const PROBED_MS = 20_000;
/** What is lost on the way is sent again after so long, then less and less soon. */
const AGAIN_MS = [200, 3_000] as const;
/** Part of what is sent that is lost once. */
const LOSS = 1 / 400;

/** The way between one machine and the server's. */
interface Path {
  readonly latency: number;
  /** Nothing passes before. */
  cutUntil: number;
  slowUntil: number;
}

/** A connection: TCP keeps its bytes in order, and never doubles them. */
class Link implements Wire {
  readonly #network: Network;
  readonly path: Path;
  readonly port: number;
  client: SimulatedSocket | null = null;
  server: SimulatedSocket | null = null;
  /** When the last bytes to each side arrive: later ones must not overtake them. */
  readonly #arrivals = new Map<SimulatedSocket, number>();

  constructor(network: Network, path: Path, port: number) {
    this.#network = network;
    this.path = path;
    this.port = port;
  }

  other(side: SimulatedSocket): SimulatedSocket | null {
    return side === this.client ? this.server : this.client;
  }

  send(from: SimulatedSocket, bytes: Buffer | null): void {
    from.sentAt = this.#network.universe.now;
    this.#deliver(from, bytes === null ? "fin" : "data", (to) => {
      if (!to.destroyed) return to.receive(bytes);
      if (bytes !== null) this.reset(to);
    });
  }

  closed(side: SimulatedSocket): void {
    if (side === this.client && side.connecting) return;
    this.#network.forget(side, this);
    this.#deliver(side, "close", (to) => {
      if (!to.destroyed && !to.readableEnded) to.receive(null);
    });
  }

  /** Tells the other side that this one knows nothing of the connection. */
  reset(side: SimulatedSocket): void {
    this.#deliver(side, "reset", (to) => to.fail("ECONNRESET"));
  }

  #deliver(from: SimulatedSocket, kind: string, arrive: (to: SimulatedSocket) => void): void {
    const to = this.other(from);
    if (to === null) return;
    const { universe } = this.#network;
    const at = Math.max(this.#arrivals.get(to) ?? 0, universe.now + this.#network.delay(this.path));
    this.#arrivals.set(to, at);
    universe.plan(at - universe.now, to.actor, kind, () => arrive(to));
  }
}

interface Listener {
  readonly server: Server;
  readonly actor: Actor;
  connections: number;
  onClosed: (() => void) | null;
}

/** The network of a simulation: one server machine, and one path to it from every other machine. */
export class Network {
  readonly universe: Universe;
  readonly #random: Random;
  /** Where connections are never broken under their two sides. */
  readonly #unbroken: ReadonlySet<number>;
  readonly #paths = new Map<string, Path>();
  readonly #listeners = new Map<number, Listener>();
  readonly #links = new Map<SimulatedSocket, Link>();
  #ports = 40_000;

  constructor(universe: Universe, unbroken: ReadonlySet<number> = new Set()) {
    this.universe = universe;
    this.#random = universe.stream();
    this.#unbroken = unbroken;
  }

  connect(actor: Actor, port: number): SimulatedSocket {
    const { universe } = this;
    const path = this.#pathOf(actor.host);
    const local = this.#ports++;
    const link = new Link(this, path, port);
    const ends = { local, remote: port, address: "10.0.0.1" };
    const socket = new SimulatedSocket(link, actor, ends, true);
    link.client = socket;
    this.#links.set(socket, link);
    universe.plan(this.delay(path), null, "syn", () => {
      const listener = this.#listeners.get(port);
      const answer = this.delay(path);
      if (listener === undefined || listener.actor.state === "dead") {
        universe.plan(answer, actor, "refused", () => socket.fail("ECONNREFUSED"));
        return;
      }
      this.#accept(listener, link, { local: port, remote: local, address: actor.host });
      universe.plan(answer, actor, "connect", () => {
        if (socket.destroyed) link.reset(socket);
        else socket.connected();
      });
    });
    return socket;
  }

  /** The machine takes the connection at once; the process hears of it when it runs. */
  #accept(listener: Listener, link: Link, ends: ConstructorParameters<typeof SimulatedSocket>[2]) {
    const { server, actor } = listener;
    const socket = new SimulatedSocket(link, actor, ends, false);
    link.server = socket;
    this.#links.set(socket, link);
    listener.connections++;
    socket.once("close", () => {
      listener.connections--;
      this.#drained(listener);
    });
    this.universe.plan(0, actor, "accept", () => server.emit("connection", socket));
  }

  listen(actor: Actor, port: number, server: Server): void {
    this.#listeners.set(port, { server, actor, connections: 0, onClosed: null });
  }

  portOf(server: Server): number {
    return [...this.#listeners].find(([, listener]) => listener.server === server)?.[0] ?? 0;
  }

  /** Stops listening; `done` is called when the last connection has gone. */
  close(server: Server, done: () => void): void {
    const port = this.portOf(server);
    const listener = this.#listeners.get(port);
    if (listener === undefined) return;
    this.#listeners.delete(port);
    listener.onClosed = done;
    this.#drained(listener);
  }

  #drained(listener: Listener): void {
    if (listener.connections > 0 || listener.onClosed === null) return;
    process.nextTick(listener.onClosed);
    listener.onClosed = null;
  }

  /** The sockets of a process that was killed: its machine closes them. */
  kill(actor: Actor): void {
    for (const [port, listener] of this.#listeners)
      if (listener.actor === actor) this.#listeners.delete(port);
    for (const [socket, link] of [...this.#links]) {
      if (socket.actor !== actor) continue;
      this.#links.delete(socket);
      if (this.#random() < 0.5) link.reset(socket);
      else link.closed(socket);
    }
  }

  /** Nothing passes for so long. Then some connections go on, and some are found broken. */
  cut(host: string, ms: number): void {
    const { universe } = this;
    const path = this.#pathOf(host);
    const began = universe.now;
    path.cutUntil = Math.max(path.cutUntil, began + ms);
    const hit = [...this.#links].filter(([, link]) => link.path === path);
    for (const [socket, link] of hit) {
      const found = Math.max(0, socket.heardAt + PROBED_MS - began);
      if (found < ms && socket.isProbing)
        universe.plan(found, socket.actor, "probe", () => {
          if (socket.sentAt < began && socket.heardAt <= began) socket.fail("ETIMEDOUT");
        });
      if (this.#random() < 0.5) universe.plan(ms, null, "broken", () => this.#break(link));
    }
  }

  slow(host: string, ms: number): void {
    this.#pathOf(host).slowUntil = this.universe.now + ms;
  }

  /** Breaks the connections of a machine, as a proxy that is started anew does. */
  breakLinks(host: string): void {
    const path = this.#pathOf(host);
    const links = new Set([...this.#links.values()].filter((link) => link.path === path));
    for (const link of links) if (this.#random() < 0.6) this.#break(link);
  }

  heal(): void {
    for (const path of this.#paths.values()) {
      path.cutUntil = Math.min(path.cutUntil, this.universe.now);
      path.slowUntil = 0;
    }
  }

  forget(socket: SimulatedSocket, _link: Link): void {
    this.#links.delete(socket);
  }

  /** A machine on the way has forgotten the connection, and tells both sides so. */
  #break(link: Link): void {
    if (this.#unbroken.has(link.port)) return;
    for (const side of [link.client, link.server])
      if (side !== null && !side.destroyed) link.reset(side);
  }

  /** Milliseconds that something which is sent now takes. */
  delay({ latency, cutUntil, slowUntil }: Path): number {
    const { now } = this.universe;
    const chance = this.#random();
    const again = AGAIN_MS[0] + (AGAIN_MS[1] - AGAIN_MS[0]) * this.#random() ** 3;
    const usual = latency * (0.5 + chance);
    if (cutUntil > now) return cutUntil - now + again;
    if (slowUntil > now) return usual + again;
    return chance < LOSS ? usual + again : usual;
  }

  #pathOf(host: string): Path {
    const known = this.#paths.get(host);
    if (known !== undefined) return known;
    const latency = 0.1 + 40 * this.#random() ** 4;
    const path = { latency, cutUntil: 0, slowUntil: 0 };
    this.#paths.set(host, path);
    return path;
  }
}
