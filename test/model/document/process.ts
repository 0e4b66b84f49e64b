import { Cancelled } from "../../../src/stores/document/protocol/swap.ts";
import type { StepCall, Steps } from "../../../src/stores/document/protocol/world.ts";
import { hashed } from "../exploration.ts";
import { type ModelState, PRIVATE_STEPS, takePrivate, type WorldOptions } from "./world.ts";

export type Event = "granted" | "letting-go";

export interface Life {
  readonly pid: number;
  /** It wants to be the newest in line. */
  readonly newest?: boolean;
  /** How many slots it takes, and its priority. */
  readonly weight: number;
  readonly priority: number;
  /** It stands in line before it is ready, and may become so wherever it waits. */
  readonly joins: boolean;
  /** The run that its lock belongs to: who is of the same run holds it together. */
  readonly ofRun?: string;
  /** It freezes and thaws the key, and claims nothing. */
  readonly isAdmin?: boolean;
  /**
   * The shipped protocol, from claim to release. `tell` marks the moments that the model checks;
   * `memory` hands over all that a waiting claim remembers.
   */
  readonly run: (
    tell: (event: Event) => void,
    memory: (dump: () => unknown) => void,
  ) => Steps<unknown>;
  /** May be cancelled, at most once, wherever it waits or reads before it has the lock. */
  readonly cancels: boolean;
}

type Phase = "claiming" | "holding" | "letting-go" | "ended" | "crashed";

/** One process at one moment. Its generator is rebuilt from `results` when the model goes back. */
export interface Process {
  readonly life: Life;
  readonly results: readonly unknown[];
  /** Two equal histories are one local state: the code is deterministic. */
  readonly history: string;
  readonly next: StepCall | null;
  readonly phase: Phase;
  readonly cancelled: boolean;
  /** It leaves the line, which nothing cancels. */
  readonly isEnding: boolean;
  /** It may take the lock. */
  readonly isReady: boolean;
  /** Of the world, when it last read. */
  readonly livesSeen: number;
  /** Time has passed since it began to wait. */
  readonly isRested: boolean;
}

export type Fail = (message: string) => never;

/** What a read throws where the claim was cancelled during it. */
export const CANCELLED = new Cancelled("cancelled");

function feed(steps: Steps<unknown>, result: unknown): IteratorResult<StepCall, unknown> {
  return result === CANCELLED ? steps.throw(CANCELLED) : steps.next(result);
}

export function birth(life: Life): Process {
  return {
    life,
    results: [],
    history: "",
    next: null,
    phase: "claiming",
    cancelled: false,
    isEnding: false,
    isReady: !life.joins,
    livesSeen: 0,
    isRested: false,
  };
}

/** Rebuilds a process from its results and lets it run to its next step that others can notice. */
export function advance(
  state: ModelState,
  process: Process,
  more: readonly unknown[],
  taken: StepCall | null,
  options: WorldOptions,
  fail: Fail,
): { process: Process; state: ModelState } {
  let phase: Phase = "claiming";
  let isEnding = false;
  let dump = (): unknown => null;
  let history = process.history;
  const { pid } = process.life;
  const steps = process.life.run(
    (event) => {
      phase = event === "granted" ? "holding" : "letting-go";
    },
    (given) => {
      dump = given;
    },
  );
  const results = [...process.results, ...more];
  for (const result of more) history = mix(history, result);
  let turn: IteratorResult<StepCall, unknown>;
  try {
    turn = steps.next();
    for (const result of results) {
      isEnding ||= isLeaving(turn);
      turn = feed(steps, result);
    }
    while (!turn.done && PRIVATE_STEPS.has(turn.value.name)) {
      isEnding ||= isLeaving(turn);
      const result = takePrivate(state, pid, turn.value, options);
      results.push(result);
      history = mix(history, result);
      turn = steps.next(result);
    }
  } catch (error) {
    return fail(`process ${pid} failed: ${(error as Error).stack}`);
  }
  const livesSeen = taken?.name === "read" ? state.lives : process.livesSeen;
  const rest = { livesSeen, isRested: false, isEnding };
  if (turn.done) {
    const alive = new Set([...state.alive].filter((each) => each !== pid));
    const ended = new Set([...state.ended, pid]);
    const end = { results: [], history: "ended", next: null, phase: "ended" as const };
    // A run is over with its last process, which those who wait for its lock have to notice.
    const lives = state.lives + (process.life.ofRun === undefined ? 0 : 1);
    return { process: { ...process, ...rest, ...end }, state: { ...state, alive, ended, lives } };
  }
  // What came before a wait, a grant or a release is forgotten but for what is dumped.
  if (turn.value.name === "wait") history = mix("wait", dump());
  else if (phase !== process.phase) history = phase;
  return { process: { ...process, ...rest, results, history, next: turn.value, phase }, state };
}

function isLeaving({ done, value }: IteratorResult<StepCall, unknown>): boolean {
  return !done && value.name === "phase" && value.args[0] === "ending";
}

function mix(history: string, result: unknown): string {
  return hashed(`${history}|${JSON.stringify(short(result) ?? null)}`);
}

/** A version stands for its text. */
function short(result: unknown): unknown {
  if (result === CANCELLED) return "cancelled";
  if (result instanceof Set) return [...result];
  if (typeof result === "object" && result !== null && "version" in result) return result.version;
  return result;
}
