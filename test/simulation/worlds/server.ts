import type { Store } from "../../../src/lock/store.ts";
import { parseServerOptions } from "../../../src/server/options.ts";
import { type RunningServer, serve } from "../../../src/server/serve.ts";
import { openHttpStore } from "../../../src/stores/http/store.ts";
import { openTcpStore } from "../../../src/stores/tcp/store.ts";
import type { Habits } from "../client.ts";
import type { Actor } from "../clockwork/actor.ts";
import { Disk, insert } from "../clockwork/disk.ts";
import { plug } from "../clockwork/install.ts";
import { Network } from "../clockwork/network.ts";
import type { Universe } from "../clockwork/universe.ts";
import { type Fault, World } from "../world.ts";

const TCP_PORT = 6_388;
const HTTP_PORT = 6_380;
const TCP = `tcp://10.0.0.1:${TCP_PORT}`;
const HTTP = `http://10.0.0.1:${HTTP_PORT}`;

/** The lock server with both doors and its data, and clients of both kinds. */
export class ServerWorld extends World {
  readonly recovery: number;
  readonly tellWithin = 1_000;
  readonly #network: Network;
  readonly #disk = new Disk();
  /** Locks of TCP outlive their connections. */
  readonly #outlives: boolean;
  readonly #kinds: readonly ("tcp" | "http")[];
  /** Its network is good: whoever is overtaken there has no excuse. */
  readonly #isCalm: boolean;
  /** Clients of HTTP claim with weights and priorities. */
  readonly #shares: boolean;
  #server: { readonly actor: Actor; readonly running: RunningServer } | null = null;
  #generation = 0;
  /** The server's wall clock was set since it last started. */
  #isClockSet = false;
  /** The server's wall clock; a restart does not set it right. */
  #wallOffset = 0;

  constructor(universe: Universe) {
    const random = universe.stream();
    const pick = <T>(...all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const deadAfter = pick(2_000, 5_000, 10_000, 30_000);
    const habits = {
      keys: pick(["a"], ["a"], ["a", "b"]),
      slots: pick(1, 1, 1, 2),
      deadAfter,
      grace: pick(0, 0, deadAfter / 4),
      hold: deadAfter * pick(0.2, 2, 6),
      rest: deadAfter * pick(0.2, 2, 6),
    };
    super(universe, { habits, duration: deadAfter * 6, pace: deadAfter * pick(0.5, 1, 3) });
    this.#isCalm = random() < 0.3;
    const size = (this.#isCalm ? 3 : 2) + Math.floor(random() * 3);
    this.#kinds = Array.from({ length: size }, () => pick("tcp", "http"));
    this.recovery = 180_000 + 6 * size * (habits.hold + deadAfter);
    // Over TCP a lock ends with its connection, where the server is not told otherwise: a connection
    // that breaks between two who live is no fault to be put up with there.
    this.#outlives = random() < 0.5;
    this.#network = new Network(universe, new Set(this.#outlives ? [] : [TCP_PORT]));
    plug(this.#network);
    insert(this.#disk);
    this.#shares = random() < 0.5;
    if (this.#shares) Object.assign(habits, { slots: pick(2, 3) });
  }

  begin(): void {
    this.#boot(0);
    for (const place of this.#kinds.keys()) this.startClient(place);
  }

  protected open(place: number): Store {
    return this.#kinds[place] === "tcp" ? openTcpStore(TCP, {}) : openHttpStore(HTTP, {});
  }

  protected override habitsOf(place: number): Habits {
    const shares = this.#shares && this.#kinds[place] === "http" ? 0.7 : 0;
    return { ...this.habits, shares };
  }

  protected faults(): { readonly [kind: string]: Fault } {
    const host = () => `host${Math.floor(this.random() * this.#kinds.length)}`;
    const server = {
      crash: () => this.#crash(),
      "crash-writing": () => this.#crashWriting(),
      restart: () => this.#restart(),
    };
    if (this.#isCalm) return server;
    return {
      ...server,
      cut: () => this.#disturb("cut", host(), (name, ms) => this.#network.cut(name, ms)),
      slow: () => this.#disturb("slow", host(), (name, ms) => this.#network.slow(name, ms)),
      broken: () => this.#disturb("broken", host(), (name) => this.#network.breakLinks(name)),
      "server-freeze": () => this.#freezeServer(),
      "server-clock": () => this.#shiftServerClock(),
      break: () => this.#breakKey(),
    };
  }

  protected heal(): void {
    this.#network.heal();
    this.outage();
    if (this.#server !== null) this.universe.thaw(this.#server.actor);
  }

  protected buried(actor: Actor): void {
    this.#network.kill(actor);
  }

  get deadAfter(): number {
    return this.habits.deadAfter;
  }

  /** A grant passes over a client of HTTP in the moment between two of its requests: not often. */
  mayBePassedOver(claim: string, times: number): boolean {
    return times <= 2 && this.#kinds[Number(/^c(\d+)/.exec(claim)?.[1])] === "http";
  }

  close(): void {
    plug(null);
    insert(null);
    this.#disk.close();
  }

  /** Starts the server in so many milliseconds. */
  #boot(pause: number): void {
    const { universe } = this;
    const name = `s.${this.#generation++}`;
    const actor = universe.begin(name, "server");
    const isReadable = universe.trace.lines !== null;
    const flags = {
      port: String(TCP_PORT),
      "http-port": String(HTTP_PORT),
      data: "simulated",
      "shutdown-timeout": "5",
      "auto-release-on-disconnect": String(!this.#outlives),
      "log-level": isReadable ? "debug" : "error",
    };
    const write = (text: string) => universe.trace.remark(universe.now, name, text.trimEnd());
    const io = { stdout: { write() {} }, stderr: { write } };
    universe.plan(pause, actor, "boot", () => {
      universe.say(name, "boots");
      actor.wallOffset = this.#wallOffset;
      // A session that seems to have expired is not known any more; its locks stay held for a while.
      if (this.#isClockSet) this.record.forget();
      this.#isClockSet = false;
      const options = parseServerOptions({ flags, env: {} });
      const started = serve(options, io).then((running) => {
        this.#server = { actor, running };
      });
      universe.urgent(started);
    });
  }

  /** The server's process is killed, and started again on its data. */
  #crash(): void {
    const server = this.#takeServer("crash");
    if (server !== null) this.#bury(server.actor);
  }

  /** The same at the worst moment: while something is being written. */
  #crashWriting(): void {
    this.#disk.onWrite = (takes) =>
      this.universe.plan(takes * this.random(), null, "crash", () => {
        if (!this.isEnding) this.#crash();
      });
  }

  /** The server is stopped as an operator stops it, and started again. */
  #restart(): void {
    const server = this.#takeServer("restart");
    if (server === null) return;
    const { actor, running } = server;
    this.universe.plan(0, actor, "stop", () => {
      running.stop().then(
        () => this.#bury(actor),
        (error) => this.universe.fail(error),
      );
    });
  }

  /** The server, which nobody else may restart meanwhile; null: it is not there. */
  #takeServer(kind: string): { readonly actor: Actor; readonly running: RunningServer } | null {
    const server = this.#server;
    if (server === null) return null;
    this.#server = null;
    this.record.fault(kind, server.actor.name);
    this.record.write({ process: server.actor.name, event: "restart" });
    this.universe.thaw(server.actor);
    return server;
  }

  #bury(actor: Actor): void {
    this.universe.kill(actor);
    this.#network.kill(actor);
    this.record.write({ process: actor.name, event: "restart" });
    this.#boot(50 + 20_000 * this.random() ** 4);
  }

  #freezeServer(): void {
    const server = this.#server;
    if (server === null) return;
    const { actor } = server;
    const ms = this.long() * this.random();
    this.record.fault("server-freeze", `for ${Math.round(ms)} ms`);
    this.outage();
    this.universe.freeze(actor);
    this.universe.plan(ms, null, "thaw", () => {
      this.outage();
      this.universe.thaw(actor);
    });
  }

  #shiftServerClock(): void {
    const ms = Math.floor((this.random() - 0.5) * 7_200_000);
    this.record.fault("server-clock", `by ${ms} ms`);
    this.#wallOffset += ms;
    this.#isClockSet = true;
    if (this.#server !== null) this.#server.actor.wallOffset = this.#wallOffset;
  }

  #disturb(kind: string, host: string, disturb: (host: string, ms: number) => void): void {
    const ms = this.long();
    this.record.fault(kind, `${host} for ${Math.round(ms)} ms`);
    this.outage();
    disturb(host, ms);
    this.universe.plan(ms, null, "healed", () => this.outage());
  }

  /** Somebody takes the key from its holders, from a machine with a good network. */
  #breakKey(): void {
    const { universe, record } = this;
    const key = this.habits.keys[0] as string;
    const actor = universe.begin("operator", "desk");
    record.fault("break", key);
    const end = record.breaking(key);
    universe.plan(0, actor, "start", () => {
      openHttpStore(HTTP, {}).break(key, { reason: "simulated", owner: "operator" }).then(end, end);
    });
  }
}
