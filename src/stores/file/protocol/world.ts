import type { ForgeRun } from "../../../lock/store.ts";
import type { Term } from "../../../lock/time.ts";
import type { ProcessDescription, ProcessMark } from "../../../machine/processes.ts";
import { type CallOf, type StepsOf, stepOf } from "../../steps.ts";

/**
 * Everything that the lock-file protocol does to the world outside it, one small step a method.
 *
 * The protocol (claim.ts, take.ts, release.ts, burial.ts, …) is written as generators that yield
 * these steps. In production `perform` runs them on the real disk; test/model runs the same
 * generators on a disk in memory, in every order and with a crash around every step.
 */
export interface World {
  /** Names in a directory; empty where there is none. */
  list(directory: string): string[];
  /** Null if there is no such file. `likely`: there mostly is one, which saves asking first. */
  read(path: string, likely?: "likely"): FileView | null;
  inode(path: string): string | null;
  /** Creates a file that must not exist yet, complete, and leaves it open. */
  create(path: string, content: string): Descriptor;
  /** Opens a file that is there, to be overwritten; null if there is none. */
  open(path: string): Descriptor | null;
  /** Gives a second name to a file; never overwrites one. */
  link(from: string, to: string): "linked" | "exists" | "source-gone" | "unsupported";
  /** False if `from` is not there. */
  rename(from: string, to: string): boolean;
  /** False if it was not there. */
  remove(path: string): boolean;
  /** Rewrites a small file in place, in one write, without truncating it: a crash tears nothing. */
  put(path: string, content: string): void;
  /** Appends one line in one write. */
  append(path: string, line: string): void;
  overwrite(descriptor: Descriptor, content: string): void;
  close(descriptor: Descriptor): void;

  /** Enters the guard of a key: a kernel lock that ends with its process. */
  enter(guard: string): GuardEntry | Promise<GuardEntry>;
  leave(guard: string): void;

  /** Null where it cannot be known from here. */
  alive(mark: ProcessMark): boolean | null;
  /** Null if that cannot be known from here, or the process is gone. */
  describe(mark: ProcessMark): ProcessDescription | null;
  /** Whether a run goes on. In a guard only what is known counts: nothing may be waited for there. */
  runAlive(run: ForgeRun): Answer;
  /** Asks the run's forge, outside of any guard. It waits for the answer only with `wait`. */
  askForge(run: ForgeRun, wait: boolean): Answer;
  now(): number;
  /**
   * The clock by which files get their times: that of the file server, if there is one. So it is the same for
   * all machines. `beside`: a file of the key.
   */
  fileNow(beside: string): number;
  monotonic(): number;
  random(): string;

  /** The claim's own term: whether it may take the lock by now, and wait for it. */
  term(): Pick<Term, "isReady" | "mayWait">;

  /** Sleeps until something that matters to a waiter may have changed. */
  wait(watch: Watch): Wake | Promise<Wake>;
}

/** Null: not known, and then no lock is taken. */
type Answer = boolean | null | Promise<boolean | null>;

export interface FileView {
  readonly content: Uint8Array;
  readonly inode: string;
  readonly modified: number;
  /** Set if there is a file that cannot be read, with the reason. */
  readonly problem?: string;
}

export interface Descriptor {
  readonly handle: number;
  readonly inode: string;
}

/** `cancelled`: the claim's time ran out or its signal fired while the guard was busy. */
export type GuardEntry = "entered" | "cancelled";

export type Wake = "changed" | "cancelled";

/** What a waiter waits for: any one of these. */
export interface Watch {
  /** A file that is gone, or another file. Null: one that is not there appears. */
  readonly files: readonly { readonly path: string; readonly inode: string | null }[];
  /** A process that is gone. */
  readonly processes: readonly ProcessMark[];
  /** How often to look at those processes, in milliseconds. */
  readonly every: number;
  /** A moment of the monotonic clock at which the judgement may change. */
  readonly reviewAt: number | null;
  /** Set: the claim's readiness wakes it as well. */
  readonly readiness?: true;
}

export type StepCall = CallOf<World>;

/** A part of the protocol: yields steps, gets their results back, returns its own. */
export type Steps<T> = StepsOf<World, T>;

/** One step of the protocol: `const names = yield* step("list", directory)`. */
export const step = stepOf<World>();
