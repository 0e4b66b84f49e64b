import type { ErrorCode } from "../../../src/lock/errors.ts";
import type { Freeze, KeyStatus } from "../../../src/lock/status.ts";
import type {
  BreakOptions,
  BreakResult,
  ClaimRequest,
  FreezeOptions,
  Holding,
  Lease,
  Progress,
  ReleaseOutcome,
  Run,
  RunRelease,
  ThawOptions,
} from "../../../src/lock/store.ts";

/** What a worker can be told, as one JSON line each, and what it answers. */
export interface Commands {
  claim: { request: ClaimRequest; as: string; timeout?: number | null; result: Granted };
  join: { request: ClaimRequest; as: string; result: Progress };
  /** `request`: as it was joined with. */
  take: { request: ClaimRequest; as: string; timeout?: number | null; result: Granted };
  leave: { as: string; result: null };
  abort: { as: string; result: null };
  release: { as: string; result: ReleaseOutcome };
  renew: { as: string; result: null };
  cover: { as: string; pid: number; result: boolean };
  inspect: { key: string; result: KeyStatus };
  list: { all: boolean; result: KeyStatus[] };
  break: { key: string; options: BreakOptions; result: BreakResult };
  verify: { lease: Pick<Lease, "key" | "fence" | "slot">; result: boolean };
  freeze: { key: string; options: FreezeOptions; result: Freeze };
  thaw: { key: string; result: Freeze | null } & ThawOptions;
  releaseRun: { key: string; run: Pick<Run, "id">; result: RunRelease };
  letGo: { lease: Lease; result: ReleaseOutcome };
  hammer: {
    name: string;
    key: string;
    slots: number;
    mixed?: boolean;
    rounds: number;
    seed: number;
    deadAfter?: number;
    result: number;
  };
  together: {
    name: string;
    keys: readonly string[];
    rounds: number;
    deadAfter?: number;
    result: number;
  };
}

export type CommandName = keyof Commands;
export type CommandArguments<N extends CommandName> = Omit<Commands[N], "result">;
export type CommandResult<N extends CommandName> = Commands[N]["result"];

export interface Granted {
  readonly lease: Lease;
  readonly reclaimed: Holding["reclaimed"] | null;
}

export interface Request {
  readonly id: number;
  readonly name: CommandName;
  readonly arguments: Record<string, unknown>;
}

export interface Failure {
  readonly code: ErrorCode | "NOT_A_LOCK_ERROR";
  readonly message: string;
  /** Of a claim that was superseded: by whom, and the page of its run. */
  readonly superseded?: { readonly by: string; readonly url: string | null };
}

/** Answers carry the id of their request; the others come by themselves. */
export type Message =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failure: Failure }
  | { readonly event: "ready"; readonly url: string }
  | { readonly event: "lost"; readonly as: string; readonly failure: Failure }
  | { readonly event: "progress"; readonly as: string; readonly progress: Progress };
