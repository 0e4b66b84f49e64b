import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import timersPromises from "node:timers/promises";
import type { Due } from "./queue.ts";
import type { Universe } from "./universe.ts";

/** The simulation that runs now. One at a time: the shipped code knows the clock as a global. */
let universe: Universe | null = null;
let immediates = 0;

const realImmediate = setImmediate;
const RealDate = Date;

/** Makes a simulation the one that the clocks, timers and random numbers of this process belong to. */
export function enter(next: Universe | null): void {
  universe = next;
}

export function present(): Universe {
  if (universe === null) throw new Error("There is no simulation now.");
  return universe;
}

/** One turn of the real event loop: when it is over, no promise and no tick is left to be served. */
export function turn(): Promise<void> {
  return new Promise((resolve) => realImmediate(resolve));
}

/** Immediates of the shipped code that have not run yet. */
export function pendingImmediates(): number {
  return immediates;
}

/** As Node's own, as far as the shipped code uses it. */
class SimulatedTimeout {
  due: Due;

  constructor(due: Due) {
    this.due = due;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

function startTimeout(ring: (...args: unknown[]) => void, delay = 1, ...args: unknown[]) {
  return new SimulatedTimeout(present().timer(delay, () => ring(...args)));
}

function startInterval(ring: (...args: unknown[]) => void, delay = 1, ...args: unknown[]) {
  const timer = new SimulatedTimeout(
    present().timer(delay, function fire() {
      // Planned first: the callback may clear it.
      timer.due = present().timer(delay, fire);
      ring(...args);
    }),
  );
  return timer;
}

function stop(timer: unknown): void {
  if (timer instanceof SimulatedTimeout) timer.due.isCancelled = true;
}

function delay<T>(ms = 1, value?: T, options: { signal?: AbortSignal } = {}): Promise<T> {
  const { signal } = options;
  const abortion = () => new DOMException("The operation was aborted", "AbortError");
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortion());
    const cancel = () => {
      due.isCancelled = true;
      reject(abortion());
    };
    const due = present().timer(ms, () => {
      signal?.removeEventListener("abort", cancel);
      resolve(value as T);
    });
    signal?.addEventListener("abort", cancel, { once: true });
  });
}

function timeoutSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const late = () => controller.abort(new DOMException("The time is over", "TimeoutError"));
  present().timer(ms, late);
  return controller.signal;
}

function countedImmediate(ring: (...args: unknown[]) => void, ...args: unknown[]) {
  immediates++;
  return realImmediate(() => {
    immediates--;
    ring(...args);
  });
}

class SimulatedDate extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(present().wall());
    else super(...(args as [number]));
  }

  static override now(): number {
    return present().wall();
  }
}

function fill<T extends Uint8Array>(bytes: T): T {
  const { chance } = present();
  for (let place = 0; place < bytes.length; place++) bytes[place] = Math.floor(chance() * 256);
  return bytes;
}

/**
 * Puts simulated clocks, timers and random numbers in the place of the real ones, for good: a process
 * that simulates does nothing else.
 */
export function installGlobals(): void {
  Object.assign(globalThis, {
    setTimeout: startTimeout,
    setInterval: startInterval,
    clearTimeout: stop,
    clearInterval: stop,
    setImmediate: countedImmediate,
    Date: SimulatedDate,
  });
  performance.now = () => present().monotonic();
  process.hrtime.bigint = () => BigInt(Math.round(present().monotonic() * 1_000)) * 1_000n;
  AbortSignal.timeout = timeoutSignal;
  Math.random = () => present().chance();
  Object.assign(timersPromises, { setTimeout: delay });
  Object.assign(crypto, {
    randomBytes: (size: number) => fill(Buffer.alloc(size)),
    randomFillSync: fill,
  });
  syncBuiltinESMExports();
  for (const event of ["uncaughtException", "unhandledRejection"])
    process.on(event, (error) => universe?.fail(error));
}
