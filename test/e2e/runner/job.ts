/** What a job is made of, as the tests write it down and the worker reads it. Plain JSON. */
export interface JobDescription {
  /**
   * Which runner runs the job. GitHub's has a worker for each job and sweeps away what the job left.
   * That of Gitea and Forgejo is one process for all jobs: it sweeps nothing, removes the job's
   * directory, and runs no post where main did not run.
   */
  readonly runner: "github" | "gitea";
  /** GITHUB_JOB. */
  readonly name: string;
  /** The runner's own folder: the workspace and RUNNER_TEMP are made in it. */
  readonly directory: string;
  readonly steps: readonly Step[];
  /**
   * Known to the test before the worker runs, so that it can look for leftovers: RUNNER_TRACKING_ID.
   */
  readonly trackingId: string;
  readonly runId: string;
  readonly attempt: string;
  readonly repository: string;
  readonly environment: "self-hosted" | "github-hosted";
  /** PATH of the first step; nothing else of the tests' own environment reaches a step. */
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** `github.token`: the job's own; without it the runner hands out none, as act does. */
  readonly token?: string;
  /** `job.check_run_id`: the forge's id of the job; empty where the runner does not tell it. */
  readonly checkRun?: string;
  /** Further contexts of expressions, such as `inputs` and `vars`. */
  readonly contexts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The leg of a matrix that this job is. */
  readonly leg?: { readonly matrix: unknown; readonly index: number; readonly total: number };
  /** Milliseconds after which the whole job is cancelled. */
  readonly timeout?: number;
  /** Cancels this many milliseconds after a stage has started, for moments that no test could hit. */
  readonly cancelAt?: Where & { readonly after: number };
  readonly delays: Delays;
}

/** The runner's own times. A test may shorten them, never what the action does. */
export interface Delays {
  /** From SIGINT to SIGTERM. */
  readonly terminate: number;
  /** From SIGTERM to SIGKILL. */
  readonly kill: number;
  /** How long a stage's outputs may stay open after its end. */
  readonly stdio: number;
}

export const RUNNER_DELAYS: Delays = { terminate: 7_500, kill: 2_500, stdio: 5_000 };

export type Step = ActionStep | CommandStep;

interface AnyStep {
  readonly id: string;
  /** As in a workflow: without a status function, `success()` is implied. */
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly continueOnError?: boolean;
  /** Milliseconds, for each stage by itself. */
  readonly timeout?: number;
}

export interface ActionStep extends AnyStep {
  /** The folder that has action.yml. */
  readonly uses: string;
  readonly with?: Readonly<Record<string, string>>;
  /** `uses: ./`: the runner then runs no pre. */
  readonly local?: boolean;
  /** Departures from what the runner does, such as a post that runs twice. */
  readonly stages?: readonly Stage[];
}

export interface CommandStep extends AnyStep {
  readonly run: readonly string[];
}

export type Stage = "pre" | "main" | "post";
export type Result = "success" | "failure" | "cancelled";

/** Everything that can be seen from outside, one JSON line each. */
export type RunnerEvent =
  | ({ readonly event: "stage-start"; readonly at: number; readonly pid: number } & Where)
  | ({ readonly event: "log"; readonly line: string; readonly raw: string } & Where)
  | ({ readonly event: "annotation" } & Annotation & Where)
  | ({ readonly event: "signal"; readonly at: number; readonly signal: NodeJS.Signals } & Where)
  | ({ readonly event: "stage-end" } & StageEnd)
  | ({ readonly event: "stage-skipped"; readonly condition: string } & Where)
  | { readonly event: "cancelling"; readonly at: number; readonly why: "asked" | "timeout" }
  | { readonly event: "swept"; readonly processes: readonly { pid: number; command: string }[] }
  | { readonly event: "job-end"; readonly at: number; readonly result: Result };

export interface Where {
  readonly step: string;
  readonly stage: Stage;
}

export interface Annotation {
  readonly level: "error" | "warning" | "notice";
  readonly message: string;
  readonly properties: Readonly<Record<string, string>>;
}

export interface StageEnd extends Where {
  readonly at: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly result: Result;
  /** The outputs were still open when the runner stopped waiting for them. */
  readonly stdioHeld: boolean;
  /** As later steps see them: none from pre and post. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
  readonly state: Readonly<Record<string, string>>;
  readonly summary: string;
  /** The raw text of the files, for tests that look for what must not be there. */
  readonly files: Readonly<Record<string, string>>;
}
