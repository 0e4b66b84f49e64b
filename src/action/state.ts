import { LockError } from "../lock/errors.ts";
import type { Estimate } from "../lock/history.ts";
import type { Holder } from "../lock/store.ts";
import type { ProcessMark } from "../machine/processes.ts";
import type { Inputs, SeenInputs } from "./inputs.ts";

/**
 * What the stages tell each other. It is saved before the claim, since the runner reads it even when
 * a stage was killed. The token is never in it: it is in the lease file alone.
 */
export interface State {
  readonly inputs: Inputs;
  readonly owner: string;
  readonly store: string;
  readonly leaseFile: string;
  /** The keeper's process; null where it could not be started. */
  readonly keeper: ProcessMark | null;
  /** Milliseconds since the epoch. */
  readonly started: number;
  readonly outcome: Outcome | null;
}

export type Outcome =
  | {
      readonly acquired: true;
      readonly fence: number | null;
      readonly waited: number;
      readonly since: string;
      /** Who held the lock while this job waited. */
      readonly ahead: readonly Ahead[];
      /** The first estimate that was told, in seconds. */
      readonly expected: Pick<Estimate, "lower" | "upper"> | null;
    }
  | { readonly acquired: false; readonly waited: number; readonly reason: string };

export type Ahead = Pick<Holder, "owner" | "since" | "fence">;

const NAME = "holdfast";
const SEEN_NAME = "holdfast_inputs";

interface StateSaver {
  saveState(name: string, value: unknown): void;
}

export function saveState(saver: StateSaver, state: State): void {
  saver.saveState(NAME, JSON.stringify(state));
}

/** Saves the inputs that pre saw, for main to compare. */
export function saveSeenInputs(saver: StateSaver, seen: SeenInputs): void {
  saver.saveState(SEEN_NAME, JSON.stringify(seen));
}

/** The state that an earlier stage saved; null where none did. */
export function readState(env: NodeJS.ProcessEnv): State | null {
  return saved<State>(env, NAME);
}

/** The inputs that pre saw; null where no pre ran, or it left the claim to main. */
export function readSeenInputs(env: NodeJS.ProcessEnv): SeenInputs | null {
  return saved<SeenInputs>(env, SEEN_NAME);
}

function saved<T>(env: NodeJS.ProcessEnv, name: string): T | null {
  const text = env[`STATE_${name}`] ?? "";
  if (text === "") return null;
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new LockError("INTERNAL", "Holdfast cannot read what its earlier stages saved.", {
      cause,
    });
  }
}
