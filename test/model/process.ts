import type { FileView, StepCall, Steps } from "../../src/stores/file/protocol/world.ts";
import { hashed } from "./exploration.ts";
import { type MemoryOptions, type MemoryState, PRIVATE_STEPS, take } from "./memory-world.ts";

/** What a process's life tells the model besides its steps. */
export type Event = "granted" | "letting-go";

export interface Life {
  readonly pid: number;
  /** The shipped protocol, from claim to release. `tell` marks the moments that the model checks. */
  readonly run: (tell: (event: Event) => void) => Steps<unknown>;
  readonly weight: number;
  readonly priority: number;
  /** How often it was passed before it joined the line here: in a line that is longer than the model's. */
  readonly passed?: number;
  /** It joins the line without being ready, and gets ready at any later time. */
  readonly joins?: boolean;
  /** It wants to be the newest in line. */
  readonly newest?: boolean;
  /** It freezes and thaws the key, and claims nothing. */
  readonly isAdmin?: boolean;
  /** May be cancelled, at most once, wherever it waits. */
  readonly cancels: boolean;
  /** May be stopped, at most once, wherever it waits, and continued at any later time. */
  readonly pauses?: boolean;
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
  /** The name of its ticket, once it stands in line. */
  readonly ticket: string | null;
  /** A newer claim has ended it. */
  readonly isSuperseded: boolean;
  /** By how many later claims it was passed while it was ready, and by how many at most. */
  readonly passed: number;
  readonly passedAtMost: number;
  /** That of its grant. */
  readonly fence: number;
  /** Stopped now, or stopped before. */
  readonly pause: "never" | "now" | "over";
}

export function birth(life: Life): Process {
  return {
    life,
    results: [],
    history: "",
    next: null,
    phase: "claiming",
    cancelled: false,
    ticket: null,
    isSuperseded: false,
    passed: 0,
    passedAtMost: 0,
    fence: 0,
    pause: "never",
  };
}

interface Thrown {
  readonly thrown: unknown;
}

export function attempt(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    return { thrown } satisfies Thrown;
  }
}

/** Rebuilds a process from its results and lets it run to its next step that others can notice. */
export function advance(
  state: MemoryState,
  process: Process,
  more: readonly unknown[],
  options: MemoryOptions & { readonly onlyOverlaps?: boolean },
  fail: (message: string) => void,
): Process {
  let phase: Phase = "claiming";
  const steps = process.life.run((event) => {
    phase = event === "granted" ? "holding" : "letting-go";
  });
  const results = [...process.results, ...more];
  let history = process.history;
  for (const result of more) history = mix(history, result);
  const feed = (result: unknown) =>
    isThrown(result) ? steps.throw(result.thrown) : steps.next(result);
  let turn: IteratorResult<StepCall, unknown>;
  try {
    turn = steps.next();
    for (const result of results) turn = feed(result);
    while (!turn.done && PRIVATE_STEPS.has(turn.value.name)) {
      const result = take(state, process.life.pid, turn.value, options);
      results.push(result);
      history = mix(history, result);
      turn = feed(result);
    }
  } catch (error) {
    if (options.onlyOverlaps)
      return { ...process, results, history: "ended", next: null, phase: "ended" };
    fail(`process ${process.life.pid} failed: ${(error as Error).stack}`);
    throw error;
  }
  if (turn.done) return { ...process, results, history: "ended", next: null, phase: "ended" };
  return { ...process, results, history, next: turn.value, phase };
}

function isThrown(result: unknown): result is Thrown {
  return typeof result === "object" && result !== null && "thrown" in result;
}

export function mix(history: string, result: unknown): string {
  const shown = isView(result) ? [result.inode, textOf(result)] : (result ?? null);
  return hashed(`${history}|${JSON.stringify(shown)}`);
}

function isView(result: unknown): result is FileView {
  return typeof result === "object" && result !== null && "content" in result;
}

function textOf(view: FileView): string {
  return Buffer.from(view.content).toString("latin1");
}
