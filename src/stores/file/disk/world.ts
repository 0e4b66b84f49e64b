import { type Clock, NEVER, type Term } from "../../../lock/time.ts";
import type { Processes } from "../../../machine/processes.ts";
import { randomHex } from "../../../machine/random.ts";
import { perform } from "../../steps.ts";
import { ForgeAnswers } from "../forge.ts";
import type { GuardEntry, Steps, Watch, World } from "../protocol/world.ts";
import { openDisk } from "./disk.ts";
import { FileClock } from "./file-clock.ts";
import type { Guard } from "./guard.ts";
import type { GuardPool } from "./guard-pool.ts";
import { patienceOn } from "./network.ts";
import { waitFor } from "./watch.ts";

/** How long a claim that does not wait for the lock waits for a busy guard. */
const IMPATIENT_GUARD_MS = 5_000;

export interface RealWorldOptions {
  readonly clock: Clock;
  readonly processes: Processes;
  readonly guards: GuardPool;
  readonly mode: number | null;
  readonly sync: boolean;
  /** The filesystem is shared between machines: no events, passing errors. */
  readonly shared: boolean;
  /** Left out: nothing is known about runs. */
  readonly forge?: ForgeAnswers;
  /** Asks the forge when its word counts. For commands, which then find the answer in the guard. */
  readonly asks?: boolean;
  readonly prepare: () => void;
  readonly cancel?: AbortSignal;
  /** The term of the claim whose world it is. */
  readonly term?: Pick<Term, "isReady" | "mayWait" | "ready">;
  readonly patience?: number;
  readonly onStuck?: (trouble: string | null) => void;
  readonly onWait?: () => void;
}

/** A world that runs the protocol's steps, and is patient on a network's filesystem. */
export interface RealWorld extends World {
  run<T>(steps: Steps<T>): Promise<T>;
}

/** The world of one claim, holding or command: the real disk, processes and time. */
export function openWorld(options: RealWorldOptions): RealWorld {
  const disk = openDisk({ mode: options.mode, sync: options.sync });
  const { clock, processes, guards, cancel, forge = new ForgeAnswers(undefined) } = options;
  const cancelled = cancel ?? NEVER;
  const term = options.term ?? { isReady: true, mayWait: true, ready: undefined };
  const entered = new Map<string, Guard>();
  // A claim that joined the line early says only later whether it waits.
  const entering = () => (term.mayWait ? options : { ...options, patience: IMPATIENT_GUARD_MS });

  const enter = (path: string): GuardEntry | Promise<GuardEntry> => {
    const guard = guards.take(path);
    // Mostly the guard is free: then no promise, no turn of the event loop.
    if (guard.tryEnter(options)) {
      entered.set(path, guard);
      return "entered";
    }
    return guard.enter(entering()).then(
      (entry) => {
        if (entry === "entered") entered.set(path, guard);
        else guards.giveBack(path, guard);
        return entry;
      },
      (error: unknown) => {
        guard.close();
        throw error;
      },
    );
  };

  const leave = (path: string) => {
    const guard = entered.get(path);
    if (guard === undefined) return;
    entered.delete(path);
    guard.leave();
    guards.giveBack(path, guard);
  };

  const fileClock = new FileClock(clock);
  const world: World = {
    ...disk,
    enter,
    leave,
    alive: (mark) => processes.alive(mark),
    describe: (mark) => processes.describe(mark),
    runAlive: (run) => (options.asks ? forge.ask(run, cancelled) : forge.known(run)),
    askForge: (run, wait) => {
      const answer = forge.ask(run, cancelled);
      return wait ? answer : forge.known(run);
    },
    now: () => clock.now(),
    // Of a filesystem of this machine it is this machine's.
    fileNow: (beside) => (options.shared ? fileClock.now(beside) : clock.now()),
    monotonic: () => clock.monotonic(),
    term: () => ({ isReady: term.isReady, mayWait: term.mayWait }),
    random: () => randomHex(8),
    wait: (watch: Watch) => {
      options.onWait?.();
      const ready = watch.readiness ? term.ready : undefined;
      return waitFor(watch, world, { cancel, ready }, !options.shared);
    },
  };
  return {
    ...world,
    run: (steps) => perform(world, steps, patienceOn(options.shared)),
  };
}
