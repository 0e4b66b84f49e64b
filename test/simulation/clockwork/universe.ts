import { type Random, seededRandom } from "../../../src/forecast/seeded.ts";
import { Actor } from "./actor.ts";
import { pendingImmediates, turn } from "./globals.ts";
import { type Due, Queue } from "./queue.ts";
import { Trace } from "./trace.ts";

/** The true wall clock when a simulation begins: any date would do. */
const EPOCH_MS = Date.UTC(2026, 0, 5, 9);
/** A monotonic clock does not begin at zero. */
const BOOT_MS = 100_000;

/**
 * Simulated time, and everything that happens in it. Time stands still while anybody has something to
 * do, and jumps to the next event when nobody has: so a minute costs what its events cost.
 */
export class Universe {
  now = 0;
  /** The process that runs; null: none. */
  actor: Actor | null = null;
  readonly trace: Trace;
  /** What no process may survive, such as an error that nobody caught. */
  readonly failures: string[] = [];
  readonly #queue = new Queue();
  readonly #seed: number;
  readonly #timing: Random;
  /** What the shipped code draws: jitter, tokens, nonces. */
  readonly chance: Random;
  #orders = 0;
  /** Work that is done before time goes on, such as the start of a program. */
  #urgent = 0;
  #actors = 0;
  #streams = 0;

  constructor(seed: number, isReadable = false) {
    this.#seed = seed;
    this.trace = new Trace(isReadable);
    this.#timing = this.stream();
    this.chance = this.stream();
  }

  /** A source of chance of its own, so that one part of a simulation does not change another. */
  stream(): Random {
    this.#streams++;
    return seededRandom(Math.imul(this.#seed, 2_654_435) + this.#streams * 7_919);
  }

  /** The true time of the calendar, which no process knows, in milliseconds. */
  get truth(): number {
    return EPOCH_MS + this.now;
  }

  /** Wall clock of the process that runs, in milliseconds. */
  wall(): number {
    return Math.floor(this.truth + (this.actor?.wallOffset ?? 0));
  }

  monotonic(): number {
    return BOOT_MS + this.now;
  }

  begin(name: string, host: string): Actor {
    return new Actor(this.#actors++, name, host);
  }

  /** Plans an event in so many milliseconds. */
  plan(delay: number, actor: Actor | null, kind: string, fire: () => void): Due {
    const at = Math.round((this.now + Math.max(0, delay)) * 1_000) / 1_000;
    const due = { at, order: this.#orders++, actor, kind, fire, isCancelled: false };
    this.#queue.push(due);
    return due;
  }

  /**
   * Plans a timer of the process that runs. Node's own timers fire up to a millisecond early by
   * `performance.now`, and mostly a little late.
   */
  timer(delay: number, fire: () => void): Due {
    const whole = Math.max(1, Math.trunc(Number.isFinite(delay) ? delay : 1));
    return this.plan(whole - 0.9 + this.#timing() * 2, this.actor, "timer", fire);
  }

  /** SIGSTOP: nothing happens in it any more, and what comes waits. */
  freeze(actor: Actor): void {
    if (actor.state === "runs") actor.state = "frozen";
  }

  /** SIGCONT: what has come meanwhile happens now, in its order. */
  thaw(actor: Actor): void {
    if (actor.state !== "frozen") return;
    actor.state = "runs";
    for (const due of actor.held.splice(0)) {
      due.at = this.now;
      due.order = this.#orders++;
      this.#queue.push(due);
    }
  }

  /** SIGKILL: its timers, its answers and its memory are gone. */
  kill(actor: Actor): void {
    actor.state = "dead";
    actor.held.length = 0;
  }

  say(who: string, what: string): void {
    this.trace.say(this.now, who, what);
  }

  fail(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.failures.push(`${this.actor?.name ?? "nobody"}: ${text}`);
  }

  /** Lets time pass until `isOver` says so, or the limit is reached. False: it was the limit. */
  async run(isOver: () => boolean, limit: number): Promise<boolean> {
    await this.settle();
    while (!isOver()) {
      const due = this.#queue.pop();
      if (due === undefined || this.failures.length > 0) return false;
      if (due.isCancelled || due.actor?.state === "dead") continue;
      if (due.at > limit) {
        this.#queue.push(due);
        this.now = limit;
        return false;
      }
      this.now = Math.max(this.now, due.at);
      if (due.actor?.state === "frozen") {
        due.actor.held.push(due);
        continue;
      }
      this.trace.note(this.now, due.kind, due.actor?.id ?? -1);
      this.actor = due.actor;
      try {
        due.fire();
      } catch (error) {
        this.fail(error);
      }
      await this.settle();
      this.actor = null;
    }
    return true;
  }

  /** Lets no time pass before this is done. */
  urgent(work: Promise<void>): void {
    this.#urgent++;
    work.catch((error) => this.fail(error)).finally(() => this.#urgent--);
  }

  /** Waits until the process that runs has nothing more to do at this moment. */
  async settle(): Promise<void> {
    do await turn();
    while (pendingImmediates() > 0 || this.#urgent > 0);
  }
}
