import type { Random } from "../../src/forecast/seeded.ts";
import type { Store } from "../../src/lock/store.ts";
import { Client, type Habits } from "./client.ts";
import type { Actor } from "./clockwork/actor.ts";
import type { Universe } from "./clockwork/universe.ts";
import { Record } from "./record.ts";

/** Something that goes wrong in a world. */
export type Fault = () => void;

/** A simulated place with clients in it. What its server or its engine is, a world of its own says. */
export abstract class World {
  readonly universe: Universe;
  readonly record: Record;
  readonly habits: Habits;
  /** How long faults go on, in milliseconds. */
  readonly duration: number;
  /** How soon everything has to be well when they are over. */
  abstract readonly recovery: number;
  /** How soon a process that goes on has to know that its lock is another's. */
  abstract readonly tellWithin: number;
  protected readonly random: Random;
  protected readonly clients: Client[] = [];
  /** How wrong the wall clock of each client's machine is: a restart does not set it right. */
  protected readonly wallOffsets: number[] = [];
  readonly #pace: number;
  #started = 0;
  protected isEnding = false;

  constructor(universe: Universe, shape: { habits: Habits; duration: number; pace: number }) {
    this.universe = universe;
    this.record = new Record(universe);
    this.random = universe.stream();
    this.habits = shape.habits;
    this.duration = shape.duration;
    this.#pace = shape.pace;
  }

  /** After so much silence a holder counts as dead, in milliseconds. */
  abstract get deadAfter(): number;

  /** Claims that fit beside each other may take their slots in any order. */
  readonly together: boolean = false;
  /** Whether a claim may be passed over for the so-manieth time. */
  abstract mayBePassedOver(claim: string, times: number): boolean;

  /** Begins everything at the time 0. */
  abstract begin(): void;

  /** Opens the store of a client, in whose process this is called. */
  protected abstract open(place: number): Store;

  /** How the client at a place claims. */
  protected habitsOf(_place: number): Habits {
    return this.habits;
  }

  /** Faults beside those of the clients themselves. */
  protected abstract faults(): { readonly [kind: string]: Fault };

  /** Ends every fault that still goes on. */
  protected abstract heal(): void;

  /** A client's process has been killed. */
  protected abstract buried(actor: Actor): void;

  abstract close(): void;

  get isOver(): boolean {
    return this.isEnding && this.clients.every(({ isDone }) => isDone);
  }

  get unfinished(): string[] {
    return this.clients.filter(({ isDone }) => !isDone).map(({ actor }) => actor.name);
  }

  /** Plans the next fault, again and again. */
  tempt(): void {
    const pause = this.#pace * (0.2 + 1.6 * this.random());
    this.universe.plan(pause, null, "fate", () => {
      if (this.isEnding) return;
      this.#strike();
      this.tempt();
    });
  }

  /** No more faults from here on. Everybody claims once more, and ends. */
  end(): void {
    this.isEnding = true;
    this.universe.say("fate", "no more faults");
    this.heal();
    for (const { actor } of this.clients) this.#thaw(actor);
    for (const client of this.clients) client.isEnding = true;
  }

  protected startClient(place: number): void {
    const { universe } = this;
    const actor = universe.begin(`c${place}.${this.#started++}`, `host${place}`);
    actor.wallOffset = this.wallOffsets[place] ?? 0;
    const random = universe.stream();
    universe.plan(this.random() * 500, actor, "start", () => {
      const client = new Client(actor, this.open(place), this.habitsOf(place), this.record, random);
      client.isEnding = this.isEnding;
      this.clients[place] = client;
      client.live().catch((error) => universe.fail(error));
    });
  }

  /** A length of time around that after which silence is death. */
  protected long(): number {
    return this.deadAfter * (0.1 + 1.9 * this.random());
  }

  #strike(): void {
    const all: { readonly [kind: string]: Fault } = {
      kill: () => this.#kill(this.#anyone()),
      freeze: () => this.#freeze(this.#anyone()),
      clock: () => this.shiftClock(2),
      ...this.faults(),
    };
    const kinds = Object.keys(all);
    all[kinds[Math.floor(this.random() * kinds.length)] as string]?.();
  }

  #anyone(): Client | undefined {
    return this.clients[Math.floor(this.random() * this.clients.length)];
  }

  #kill(client: Client | undefined): void {
    if (client === undefined || client.actor.state === "dead") return;
    const { actor } = client;
    this.record.fault("kill", actor.name);
    this.record.write({ process: actor.name, event: "kill" });
    this.universe.kill(actor);
    this.buried(actor);
    this.startClient(this.clients.indexOf(client));
  }

  #freeze(client: Client | undefined): void {
    if (client === undefined || client.actor.state !== "runs") return;
    const { actor } = client;
    const ms = this.long();
    this.record.fault("freeze", `${actor.name} for ${Math.round(ms)} ms`);
    this.record.write({ process: actor.name, event: "stop" });
    this.universe.freeze(actor);
    this.universe.plan(ms, null, "thaw", () => this.#thaw(actor));
  }

  #thaw(actor: Actor): void {
    if (actor.state !== "frozen") return;
    this.record.write({ process: actor.name, event: "continue" });
    this.universe.thaw(actor);
  }

  /** Sets somebody's wall clock forward or back, within so many hours. */
  protected shiftClock(hours: number): void {
    const client = this.#anyone();
    if (client === undefined) return;
    const ms = Math.floor((this.random() - 0.5) * hours * 3_600_000);
    this.record.fault("clock", `${client.actor.name} by ${ms} ms`);
    client.actor.wallOffset += ms;
    this.wallOffsets[this.clients.indexOf(client)] = client.actor.wallOffset;
  }

  protected outage(): void {
    this.record.write({ process: "network", event: "outage" });
  }
}
