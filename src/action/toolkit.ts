import type * as core from "@actions/core";

/** What the stages use of @actions/core; entries pass the real one in. */
export type Toolkit = Pick<
  typeof core,
  | "getInput"
  | "setOutput"
  | "exportVariable"
  | "addPath"
  | "saveState"
  | "setSecret"
  | "info"
  | "debug"
  | "notice"
  | "warning"
  | "error"
  | "setFailed"
>;

/** Everything a stage needs from outside. */
export interface Stage {
  readonly core: Toolkit;
  readonly env: NodeJS.ProcessEnv;
  /** Fires when the runner cancels: SIGINT, then SIGTERM. */
  readonly cancelled: AbortSignal;
  /** Path of this stage's program: the keeper and the CLI are found beside it. */
  readonly program: string;
  readonly parentPid: number;
}
