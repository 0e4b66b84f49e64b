import type { AliveSessions, Swap, Version } from "../../engines/register.ts";
import { type CallOf, type StepsOf, stepOf } from "../../steps.ts";
import type { HolderEntry, Instant, KeyDocument, WaiterEntry } from "../document.ts";
import type { JobLife, RunLife } from "../life.ts";

/**
 * Everything that the document protocol does to the world outside it, one small step a method.
 *
 * The protocol is written as generators that yield these steps. In production `perform` runs them on
 * a register; test/model runs the same generators on a register in memory, in every order, with a
 * crash around every step, answers that get lost and reads that lag.
 */
export interface World {
  /** The key's document. `strong`: at least as new as the moment of asking. */
  read(strong: boolean): Version | Promise<Version>;
  /** `wakes`: the sessions of the claims that the swap concerns. */
  swap(version: string | null, next: string, wakes?: readonly string[]): Swap | Promise<Swap>;
  /** Which of these sessions live. Null if the register has no signs of life or does not say. */
  aliveSessions(ids: readonly string[]): Answer<AliveSessions | null>;
  /** Whether each of them lives; null if it is not known. */
  alive(lives: readonly (JobLife | RunLife)[]): Answer<readonly (boolean | null)[]>;
  /** Sleeps until the document may have left `version`, `pause` milliseconds at most. */
  wait(version: string | null, pause: number): Answer<Wake>;
  /** Sleeps for a moment after a swap that lost: longer after each further loss. */
  backOff(times: number): Answer<Wake>;
  /** What comes now. It decides how long a register that does not answer is tried again. */
  phase(phase: Phase): void;
  /** Tells the claim's caller how it stands. */
  report(standing: Standing): void;
  nonce(): string;
  now(): Instant;
  monotonic(): number;
}

type Answer<T> = T | Promise<T>;

/** `cancelled`: the claim's time ran out or its signal fired. `ready`: it may take the lock, told once. */
export type Wake = "changed" | "cancelled" | "ready";

/** `starting`: nothing was written yet. `waiting`: in line. `ending`: leaves the line. */
export type Phase = "starting" | "waiting" | "ending";

/** How a waiting claim stands. */
export interface Standing {
  readonly document: KeyDocument;
  /** Counts from 0 the claims that are not known to be dead. */
  readonly place: number;
  /** The claims before this one. */
  readonly ahead: readonly WaiterEntry[];
  /** How many slots it needs. */
  readonly weight: number;
  readonly alive: (entry: HolderEntry | WaiterEntry) => boolean | null;
  /** Why it waits, where the reason is unusual. */
  readonly trouble: string | null;
}

export type StepCall = CallOf<World>;

/** A part of the protocol: yields steps, gets their results back, returns its own. */
export type Steps<T> = StepsOf<World, T>;

/** One step of the protocol: `const wake = yield* step("wait", version, pause)`. */
export const step = stepOf<World>();
