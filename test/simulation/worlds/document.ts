import type { Random } from "../../../src/forecast/seeded.ts";
import type { Store } from "../../../src/lock/store.ts";
import { type KeyDocument, slotsOf } from "../../../src/stores/document/document.ts";
import type { Alive, JobLife } from "../../../src/stores/document/life.ts";
import { type DocumentStore, openDocumentStore } from "../../../src/stores/document/store.ts";
import { TIMING } from "../../../src/stores/document/timing.ts";
import { checkRules } from "../../model/document/rules.ts";
import type { Actor } from "../clockwork/actor.ts";
import { present } from "../clockwork/globals.ts";
import type { Universe } from "../clockwork/universe.ts";
import { type Fault, World } from "../world.ts";
import { Bounds, type Writer } from "./bounds.ts";
import { Engine, type EngineClock } from "./engine.ts";
import { type Abilities, SimulatedRegister } from "./register.ts";

/** What the lives of holders hang on, as in etcd, in git with a forge, and in git without. */
type LifeKind = "session" | "job" | "heartbeat";

/** Part of the worlds in which locks and freezes end by time, and no wall clock can be trusted. */
const BOUNDED = 1 / 8;
/** How wrong wall clocks are there, in hours, and how far they jump: in both directions. */
const WRONG_HOURS = 24;
const HOUR_MS = 3_600_000;

/** How long a forge takes to say that a job is over. */
const NOTICED_MS = 60_000;
const FORGE: Omit<JobLife, "job"> = {
  kind: "job",
  api: "https://forge.test",
  repository: "r",
  run: "1",
  attempt: "1",
  runner: null,
};

/** The document protocol over an engine that loses answers, lags behind and goes away. */
export class DocumentWorld extends World {
  readonly recovery: number;
  readonly tellWithin: number;
  readonly deadAfter: number;
  readonly #engine: Engine;
  readonly #kind: LifeKind;
  readonly #abilities: Abilities;
  readonly #size: number;
  readonly #bounds: Bounds | null;
  /** When each job ended, by its name. */
  readonly #ended = new Map<string, number>();

  constructor(universe: Universe) {
    const random = universe.stream();
    const pick = <T>(...all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const kind = pick<LifeKind>("session", "session", "job", "heartbeat");
    const asked = pick(2_000, 5_000, 10_000, 30_000);
    // Where nobody but the document shows who lives, silence means death only after this.
    const deadAfter = kind === "heartbeat" ? TIMING.heartbeatDeadAfter : asked;
    const ttl = random() < BOUNDED ? pick(20_000, 60_000, 150_000) : undefined;
    const pace = Math.max(deadAfter, kind === "session" ? 0 : 60_000, ttl ?? 0);
    // Some holds are over before their time is, and some are not.
    const lengths = ttl === undefined ? [2, 4] : [0.8, 1.5];
    const habits = {
      ...(ttl === undefined ? {} : { ttl }),
      keys: pick(["a"], ["a"], ["a", "b"]),
      slots: pick(1, 1, 1, 2, 3),
      shares: pick(0, 0.3, 0.8),
      deadAfter: asked,
      grace: pick(0, 0, asked / 4),
      hold: pace * pick(0.2, ...lengths),
      rest: pace * pick(0.2, ...lengths),
    };
    const length = ttl === undefined ? 4 : 3;
    super(universe, { habits, duration: pace * length, pace: pace * pick(0.5, 1, 3) });
    this.#kind = kind;
    this.deadAfter = deadAfter;
    this.#size = 2 + Math.floor(random() * 3);
    const push = kind === "session";
    this.#abilities = { push, signs: push, conditional: push && pick(true, false) };
    this.tellWithin = deadAfter / 2 + 5_000;
    this.recovery = 1_800_000 + 4 * deadAfter + 6 * this.#size * habits.hold;
    const clock = ttl === undefined ? null : clockOfEngine(random, this.#size);
    this.#engine = new Engine(universe, clock, (...swap) => this.#judge(...swap));
    this.#bounds = ttl === undefined ? null : new Bounds(this.#engine, this.record);
    if (ttl !== undefined)
      for (let place = 0; place < this.#size; place++)
        this.wallOffsets[place] = pick(0, 1) * wrongClock(random);
  }

  override readonly together = true;

  /** Where several slots are free, the first in line takes one and the second another one. */
  mayBePassedOver(): boolean {
    return this.habits.slots > 1;
  }

  /** Whoever is served by a swap is served by the rules, as the documents and the claims tell them. */
  #judge(textBefore: string | null, textAfter: string, writer: Writer): void {
    const before = textBefore === null ? null : (JSON.parse(textBefore) as KeyDocument);
    const after = JSON.parse(textAfter) as KeyDocument;
    const fail = (sentence: string) => this.universe.fail(new Error(`rule: ${sentence}`));
    this.#bounds?.swapped(before, after, writer);
    const held = after.holders.flatMap(slotsOf);
    const room = after.slots - held.length;
    if (room < 0 || new Set(held).size < held.length) fail(`slots ${held.join(", ")} are held`);
    for (const served of after.holders) {
      if (before?.holders.some(({ id }) => id === served.id)) continue;
      const rank = this.record.ranks.get(served.owner);
      if (rank === undefined) continue;
      if (!rank.isReady) fail(`${served.owner} was served, and was not ready`);
      const rankOf = (id: string) => {
        const waiter = before?.line.find((each) => each.id === id);
        if (waiter === undefined) return rank;
        return { weight: waiter.weight ?? 1, priority: waiter.priority ?? 0 };
      };
      const waits = (id: string) => after.line.some((each) => each.id === id);
      checkRules({ before, after, served, room, waits, rankOf }, fail);
    }
  }

  begin(): void {
    for (let place = 0; place < this.#size; place++) this.startClient(place);
  }

  protected open(): Store {
    const { actor } = present();
    if (actor === null) throw new Error("Nobody runs who could open a store.");
    const register = new SimulatedRegister(this.#engine, actor, this.#abilities);
    if (this.#kind !== "job") return openDocumentStore(register);
    return openDocumentStore(register, {
      life: { ...FORGE, job: actor.name },
      alive: this.#forge(actor),
    });
  }

  protected faults(): { readonly [kind: string]: Fault } {
    const host = () => `host${Math.floor(this.random() * this.#size)}`;
    return {
      cut: () => this.#cut("cut", [host()]),
      outage: () =>
        this.#cut(
          "outage",
          Array.from({ length: this.#size }, (_, place) => `host${place}`),
        ),
      break: () => this.#breakKey(),
      ...(this.#bounds === null ? {} : this.#faultsOfTime()),
    };
  }

  #faultsOfTime(): { readonly [kind: string]: Fault } {
    return {
      jump: () => this.shiftClock(WRONG_HOURS),
      refusal: () => this.#refuse(),
      "freeze-key": () => this.#freezeKey(),
    };
  }

  protected heal(): void {
    this.#engine.heal();
    this.outage();
    this.#bounds?.calm();
  }

  protected buried(actor: Actor): void {
    this.#ended.set(actor.name, this.universe.now + NOTICED_MS * this.random());
  }

  close(): void {}

  #cut(kind: string, hosts: readonly string[]): void {
    const ms = this.long();
    this.record.fault(kind, `${hosts.join(", ")} for ${Math.round(ms)} ms`);
    this.outage();
    for (const host of hosts) this.#engine.cut(host, ms);
    this.universe.plan(ms, null, "healed", () => this.outage());
  }

  /** A forge that is asked over the same network, and that now and then does not know. */
  #forge(asker: Actor): Alive {
    const { universe, random } = this.#engine;
    return async (life) => {
      const answered = Promise.withResolvers<boolean | null>();
      universe.plan(50 + 500 * random(), asker, "forge", () => {
        const isKnown = random() > 0.1 && this.#engine.cutFor(asker.host) === 0;
        const job = life.kind === "job" ? (life.job ?? "") : "";
        const isOver = universe.now >= (this.#ended.get(job) ?? Number.POSITIVE_INFINITY);
        answered.resolve(isKnown ? !isOver : null);
      });
      return answered.promise;
    };
  }

  /** Somebody takes the key from its holders, from a machine with a good network. */
  #breakKey(): void {
    const key = this.habits.keys[0] as string;
    this.record.fault("break", key);
    const end = this.record.breaking(key);
    this.#operate((store) =>
      store.break(key, { reason: "simulated", owner: "operator" }).then(end, end),
    );
  }

  /** Somebody freezes a key for a while, or one of its slots, from a machine whose clock is wrong. */
  #freezeKey(): void {
    const { ttl = 0, slots, keys } = this.habits;
    const key = keys[0] as string;
    const duration = Math.round(ttl * (0.1 + this.random()));
    const slot = Math.floor((slots + 1) * this.random());
    const only = slot < slots && slots > 1 ? { slot } : {};
    this.record.fault("freeze-key", `${key} for ${duration} ms`);
    const options = { reason: "simulated", owner: "operator", duration, ...only };
    this.#operate((store) => store.freeze(key, options).catch(() => {}), wrongClock(this.random));
  }

  /** The engine's machine is there, and nothing listens: what is sent has surely not arrived. */
  #refuse(): void {
    const ms = (this.habits.ttl ?? 0) * 2 * this.random();
    const part = Math.min(1, 0.5 + this.random());
    this.record.fault("refusal", `of ${part.toFixed(2)} of all calls for ${Math.round(ms)} ms`);
    this.outage();
    this.#engine.refuse(part, ms);
    this.universe.plan(ms, null, "healed", () => this.outage());
  }

  #operate(act: (store: DocumentStore) => Promise<unknown>, wallOffset = 0): void {
    const { universe } = this;
    const actor = universe.begin("operator", "desk");
    actor.wallOffset = wallOffset;
    universe.plan(0, actor, "start", () => {
      const register = new SimulatedRegister(this.#engine, actor, this.#abilities);
      act(openDocumentStore(register)).catch((error) => universe.fail(error));
    });
  }
}

/** As etcd, S3 and git tell it, as PostgreSQL does, as Redis does; or not at all. */
function clockOfEngine(random: Random, size: number): EngineClock | null {
  const kind = Math.floor(4 * random());
  const ahead = wrongClock(random);
  const hosts = Array.from({ length: size }, (_, place) => `host${place}`);
  const deaf = new Set(random() < 0.2 ? hosts.filter(() => random() < 0.5) : []);
  const precision = kind === 0 ? 1_000 : 0;
  return kind === 3 ? null : { ahead, precision, every: kind === 2 ? 10_000 : 0, deaf };
}

/** Milliseconds by which a clock is wrong, forward or back. */
function wrongClock(random: Random): number {
  return Math.floor((random() - 0.5) * WRONG_HOURS * HOUR_MS);
}
