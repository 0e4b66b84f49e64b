import { LockError } from "../lock/errors.ts";
import type { Freeze, Holder } from "../lock/status.ts";
import type { ProcessMark } from "../machine/processes.ts";
import type { Inputs } from "./inputs.ts";
import type { SeenInputs } from "./seen.ts";

/**
 * What the stages tell each other. It is saved before the claim, since the runner reads it even when
 * a stage was killed. The token is never in it: it is in the lease file alone.
 */
export interface State {
  readonly inputs: Inputs;
  readonly owner: string;
  readonly store: string;
  readonly leaseFile: string;
  /** HOLDFAST_CA_FILE at the claim: a step can change the variable, and the lease file. */
  readonly caFile?: string;
  /** Where the Actions cache was at the claim, for `history: cache`. */
  readonly cache?: string;
  /** The keeper's process; null where it could not be started, and where a run holds the lock. */
  readonly keeper: ProcessMark | null;
  /** Milliseconds since the epoch. */
  readonly started: number;
  /** Null: the claim has no outcome, or not yet. */
  readonly outcome: Outcome | null;
  /** With `stage: line`: pre has joined the line, and the step is to take the lock. */
  readonly inLine?: true;
}

export type Outcome =
  | {
      readonly acquired: true;
      /** Of the first key. */
      readonly fence: number | null;
      /** Of each key. */
      readonly fences: Readonly<Record<string, number | null>>;
      readonly slot: number;
      /** The names of what is held of the first key; null: its slots have none. */
      readonly resources: readonly string[] | null;
      readonly waited: number;
      readonly since: string;
      /** When a lock of a whole run ends at the latest, ISO 8601; null where it is this job's. */
      readonly until: string | null;
      /** Who held the lock while this job waited. */
      readonly ahead: readonly Ahead[];
      /** The first estimate that was told, in words. */
      readonly expected: string | null;
      /** The latest freeze that was in the way. */
      readonly frozen: Freeze | null;
    }
  | {
      readonly acquired: false;
      readonly waited: number;
      readonly reason: string;
      /** The claim that superseded this one, if any. */
      readonly newer: { readonly by: string; readonly url: string | null } | null;
    };

/** A holder that was waited for. `name`: as people know it. */
export interface Ahead extends Pick<Holder, "owner" | "since" | "fence"> {
  readonly name: string;
  readonly url: string | null;
}

const NAME = "holdfast";
const SEEN_NAME = "holdfast_inputs";
const MAIN_NAME = "holdfast_main";

interface StateSaver {
  saveState(name: string, value: unknown): void;
}

export function saveState(saver: StateSaver, state: State): void {
  saver.saveState(NAME, JSON.stringify(state));
}

/**
 * Saves that there is no state yet, at the begin of the action's first stage. Without it a later stage
 * would read a variable of the same name that another step has put into the job's environment, and
 * send its secrets to the store that this names.
 */
export function clearState(saver: StateSaver): void {
  for (const name of [NAME, SEEN_NAME, MAIN_NAME]) saver.saveState(name, "");
}

/** Saves the inputs that pre saw, for main to compare. */
export function saveSeenInputs(saver: StateSaver, seen: SeenInputs): void {
  saver.saveState(SEEN_NAME, JSON.stringify(seen));
}

/** Notes that main has begun, for post: if the step's `if:` is false, pre runs but main does not. */
export function saveMain(saver: StateSaver): void {
  saver.saveState(MAIN_NAME, "began");
}

export function hasMainBegun(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env[`STATE_${MAIN_NAME}`]);
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
