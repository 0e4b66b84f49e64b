import type { Store } from "../../../src/lock/store.ts";
import { type KeyDocument, slotsOf } from "../../../src/stores/document/document.ts";
import type { Alive, JobLife } from "../../../src/stores/document/life.ts";
import { openDocumentStore } from "../../../src/stores/document/store.ts";
import { TIMING } from "../../../src/stores/document/timing.ts";
import { checkRules } from "../../model/document/rules.ts";
import type { Actor } from "../clockwork/actor.ts";
import { present } from "../clockwork/globals.ts";
import type { Universe } from "../clockwork/universe.ts";
import { type Fault, World } from "../world.ts";
import { Engine } from "./engine.ts";
import { type Abilities, SimulatedRegister } from "./register.ts";

/** What the lives of holders hang on, as in etcd, in git with a forge, and in git without. */
type LifeKind = "session" | "job" | "heartbeat";

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
  /** When each job ended, by its name. */
  readonly #ended = new Map<string, number>();

  constructor(universe: Universe) {
    const random = universe.stream();
    const pick = <T>(...all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
    const kind = pick<LifeKind>("session", "session", "job", "heartbeat");
    const asked = pick(2_000, 5_000, 10_000, 30_000);
    // Where nobody but the document shows who lives, silence means death only after this.
    const deadAfter = kind === "heartbeat" ? TIMING.heartbeatDeadAfter : asked;
    const pace = kind === "session" ? deadAfter : Math.max(deadAfter, 60_000);
    const habits = {
      keys: pick(["a"], ["a"], ["a", "b"]),
      slots: pick(1, 1, 1, 2, 3),
      shares: pick(0, 0.3, 0.8),
      deadAfter: asked,
      grace: pick(0, 0, asked / 4),
      hold: pace * pick(0.2, 2, 4),
      rest: pace * pick(0.2, 2, 4),
    };
    super(universe, { habits, duration: pace * 4, pace: pace * pick(0.5, 1, 3) });
    this.#kind = kind;
    this.deadAfter = deadAfter;
    this.#size = 2 + Math.floor(random() * 3);
    const push = kind === "session";
    this.#abilities = { push, signs: push, conditional: push && pick(true, false) };
    this.tellWithin = deadAfter / 2 + 5_000;
    this.recovery = 1_800_000 + 4 * deadAfter + 6 * this.#size * habits.hold;
    this.#engine = new Engine(universe, (before, after) => this.#judge(before, after));
  }

  /** Where several slots are free, the first in line takes one and the second another one. */
  mayBePassedOver(): boolean {
    return this.habits.slots > 1;
  }

  /** Whoever is served by a swap is served by the rules, as the documents and the claims tell them. */
  #judge(textBefore: string | null, textAfter: string): void {
    const before = textBefore === null ? null : (JSON.parse(textBefore) as KeyDocument);
    const after = JSON.parse(textAfter) as KeyDocument;
    const fail = (sentence: string) => this.universe.fail(new Error(`rule: ${sentence}`));
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
    };
  }

  protected heal(): void {
    this.#engine.heal();
    this.outage();
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
    const { universe, record } = this;
    const key = this.habits.keys[0] as string;
    const actor = universe.begin("operator", "desk");
    record.fault("break", key);
    const end = record.breaking(key);
    universe.plan(0, actor, "start", () => {
      const register = new SimulatedRegister(this.#engine, actor, this.#abilities);
      const store = openDocumentStore(register);
      store.break(key, { reason: "simulated", owner: "operator" }).then(end, end);
    });
  }
}
