import { LockError } from "../lock/errors.ts";
import type { Estimate } from "../lock/history.ts";
import type { Holder } from "../lock/store.ts";
import type { ProcessMark } from "../machine/processes.ts";
import type { Inputs } from "./inputs.ts";

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

export function saveState(
  store: { saveState(name: string, value: unknown): void },
  state: State,
): void {
  store.saveState(NAME, JSON.stringify(state));
}

/** The state that an earlier stage saved; null where none did. */
export function readState(env: NodeJS.ProcessEnv): State | null {
  const text = env[`STATE_${NAME}`] ?? "";
  if (text === "") return null;
  try {
    return JSON.parse(text) as State;
  } catch (cause) {
    throw new LockError("INTERNAL", "Holdfast cannot read what its earlier stages saved.", {
      cause,
    });
  }
}
