import type { FileView, StepCall, Steps } from "../../src/stores/file/protocol/world.ts";
import {
  copyState,
  crash,
  DEAD_AFTER,
  emptyState,
  isEnabled,
  type MemoryOptions,
  type MemoryState,
  PRIVATE_STEPS,
  take,
  tear,
  tick,
} from "./memory-world.ts";

/** What a process's life tells the model besides its steps. */
export type Event = "granted" | "letting-go";

export interface Life {
  readonly pid: number;
  /** The shipped protocol, from claim to release. `tell` marks the moments that the model checks. */
  readonly run: (tell: (event: Event) => void) => Steps<unknown>;
  /** May be cancelled, at most once, wherever it waits. */
  readonly cancels: boolean;
  /** May be stopped, at most once, wherever it waits, and continued at any later time. */
  readonly pauses?: boolean;
}

export interface ModelOptions extends MemoryOptions {
  readonly lives: readonly Life[];
  readonly slots: number;
  /** Looks for two holders at once alone: not at order, fences, or claims that are stuck. */
  readonly onlyOverlaps?: boolean;
  /** How many of the processes may crash in one run. */
  readonly crashes: number;
  /** Called where everybody has ended or crashed. Throws where that is not a good end. */
  readonly atEnd: (state: MemoryState, lastFence: number) => void;
}

export interface Exploration {
  readonly states: number;
  readonly transitions: number;
  readonly ends: number;
  readonly grants: number;
  readonly deepest: number;
}

/** A violation, with the schedule that leads to it. */
export class Violation extends Error {
  readonly schedule: readonly string[];

  constructor(message: string, schedule: readonly string[]) {
    super(`${message}\n${schedule.map((line, index) => `${index + 1}. ${line}`).join("\n")}`);
    this.schedule = schedule;
  }
}

type Phase = "claiming" | "holding" | "letting-go" | "ended" | "crashed";

/** One process at one moment. Its generator is rebuilt from `results` when the model goes back. */
interface Process {
  readonly life: Life;
  readonly results: readonly unknown[];
  /** Two equal histories are one local state: the code is deterministic. */
  readonly history: string;
  readonly next: StepCall | null;
  readonly phase: Phase;
  readonly cancelled: boolean;
  /** The name of its ticket, once it stands in line. */
  readonly ticket: string | null;
  /** Stopped now, or stopped before. */
  readonly pause: "never" | "now" | "over";
}

interface Moment {
  readonly state: MemoryState;
  readonly processes: readonly Process[];
  readonly lastFence: number;
}

/** Walks through every order of every process's steps, and every crash around them. */
export function explore(options: ModelOptions): Exploration {
  const seen = new Set<string>();
  const schedule: string[] = [];
  const count = { states: 0, transitions: 0, ends: 0, grants: 0, deepest: 0 };
  const fail = (message: string): never => {
    throw new Violation(message, schedule);
  };

  const visit = (moment: Moment): void => {
    const key = fingerprint(moment);
    if (seen.has(key)) return;
    seen.add(key);
    count.states++;
    count.deepest = Math.max(count.deepest, schedule.length);
    check(moment, options, fail);
    const moves = movesOf(moment, options);
    const going = moves.filter((move) => move.kind === "step");
    const alive = moment.processes.filter(({ phase }) => phase !== "ended" && phase !== "crashed");
    if (alive.length === 0) {
      count.ends++;
      try {
        options.atEnd(copyState(moment.state), moment.lastFence);
      } catch (error) {
        fail(`bad end: ${(error as Error).message}`);
      }
      return;
    }
    const waiting = alive.filter(({ pause }) => pause !== "now");
    const isIdle = going.length === 0 && !moves.some(({ kind }) => kind === "tick");
    if (isIdle && waiting.length > 0 && !options.onlyOverlaps)
      fail(`stuck: ${waiting.map(({ life }) => life.pid).join(", ")} wait for ever`);
    for (const move of moves) {
      count.transitions++;
      schedule.push(describe(moment, move));
      const after = apply(moment, move, options, fail);
      if (after.lastFence !== moment.lastFence) count.grants++;
      visit(after);
      schedule.pop();
    }
  };

  visit(start(options));
  return count;
}

type Move = {
  readonly kind: "step" | "cancel" | "crash" | "tear" | "pause" | "continue" | "tick";
  readonly index: number;
};

/** Far more ticks than the longest line of paused processes needs: who is not served by then is stuck. */
const TICKS_LIMIT = 12;
/** Ticks that may come at any moment; the others come where nothing else can happen. */
const FREE_TICKS = 1;

function movesOf(moment: Moment, options: ModelOptions): Move[] {
  const mayCrash = moment.state.dead.size < options.crashes;
  const moves = moment.processes.flatMap((process, index): Move[] => {
    if (process.next === null) return [];
    const moves: Move[] = [];
    if (process.pause === "now") {
      moves.push({ kind: "continue", index });
      if (mayCrash) moves.push({ kind: "crash", index });
      return moves;
    }
    if (isEnabled(moment.state, process.next, options)) moves.push({ kind: "step", index });
    const waits =
      process.next.name === "wait" ||
      (process.next.name === "enter" && process.phase === "claiming");
    if (process.life.cancels && !process.cancelled && waits) moves.push({ kind: "cancel", index });
    if (mayCrash) moves.push({ kind: "crash", index });
    if (mayCrash && process.next.name === "create") moves.push({ kind: "tear", index });
    if (process.life.pauses && process.pause === "never" && waits)
      moves.push({ kind: "pause", index });
    return moves;
  });
  const paused = moment.processes.findIndex(({ pause, next }) => pause === "now" && next !== null);
  const ticks = moment.state.clock / DEAD_AFTER;
  const isIdle = !moves.some(({ kind }) => kind === "step");
  const waits = moment.processes.some(({ pause, next }) => pause !== "now" && next !== null);
  if (paused !== -1 && waits && ticks < (isIdle ? TICKS_LIMIT : FREE_TICKS))
    moves.push({ kind: "tick", index: paused });
  return moves;
}

function start(options: ModelOptions): Moment {
  const state = emptyState();
  const processes = options.lives.map((life) => advance(state, birth(life), [], options, () => {}));
  return { state, processes, lastFence: 0 };
}

function birth(life: Life): Process {
  return {
    life,
    results: [],
    history: "",
    next: null,
    phase: "claiming",
    cancelled: false,
    ticket: null,
    pause: "never",
  };
}

function apply(
  moment: Moment,
  move: Move,
  options: ModelOptions,
  fail: (message: string) => never,
): Moment {
  const state = copyState(moment.state);
  const process = moment.processes[move.index] as Process;
  const { pid } = process.life;
  const replace = (changed: Process) =>
    moment.processes.map((other, index) => (index === move.index ? changed : other));
  if (move.kind === "crash" || move.kind === "tear") {
    if (move.kind === "tear") tear(state, pid, process.next as StepCall);
    crash(state, pid);
    const crashed: Process = {
      ...process,
      next: null,
      phase: "crashed",
      results: [],
      history: "crashed",
      ticket: null,
    };
    return { ...moment, state, processes: replace(crashed) };
  }
  if (move.kind === "pause" || move.kind === "continue")
    return {
      ...moment,
      processes: replace({ ...process, pause: move.kind === "pause" ? "now" : "over" }),
    };
  if (move.kind === "tick") {
    const beating = moment.processes.filter(({ pause }) => pause !== "now");
    tick(
      state,
      beating.flatMap(({ ticket }) => ticket ?? []),
    );
    return { ...moment, state };
  }
  const call = process.next as StepCall;
  const result =
    move.kind === "cancel" ? "cancelled" : attempt(() => take(state, pid, call, options));
  const before = move.kind === "cancel" ? { ...process, cancelled: true } : process;
  const after = advance(state, before, [result], options, fail);
  if (after.phase === "ended") state.ended.add(pid);
  const ticket = ticketAfter(process, call);
  const changed = { ...after, ticket };
  const served =
    call.name === "link" && result === "linked" && String(call.args[0]).endsWith(".tmp");
  if (!served) return { ...moment, state, processes: replace(changed) };
  const fence = fenceIn(state, String(call.args[1]));
  if (options.onlyOverlaps) return { ...moment, state, processes: replace(changed) };
  if (fence <= moment.lastFence) fail(`fence went from ${moment.lastFence} to ${fence}`);
  checkOrder(moment, process, fail);
  return { state, processes: replace(changed), lastFence: fence };
}

function fenceIn(state: MemoryState, lock: string): number {
  return Number(/^fence=(\d+)$/m.exec(state.files.get(state.names.get(lock) as string) ?? "")?.[1]);
}

interface Thrown {
  readonly thrown: unknown;
}

function attempt(call: () => unknown): unknown {
  try {
    return call();
  } catch (thrown) {
    return { thrown } satisfies Thrown;
  }
}

function ticketAfter(process: Process, call: StepCall): string | null {
  const path = String(call.args[0]);
  if (call.name === "create" && path.endsWith(".ticket")) return path;
  if (call.name === "remove" && path === process.ticket) return null;
  return process.ticket;
}

/** Rebuilds a process from its results and lets it run to its next step that others can notice. */
function advance(
  state: MemoryState,
  process: Process,
  more: readonly unknown[],
  options: ModelOptions,
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

/** A rolling hash in two halves: enough for millions of states, far cheaper than a digest. */
function mix(history: string, result: unknown): string {
  const text = `${history}|${JSON.stringify(isView(result) ? [result.inode, textOf(result)] : (result ?? null))}`;
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x01000193);
    b = Math.imul(b ^ (c + i), 0x85ebca6b) ^ (b >>> 13);
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

function isView(result: unknown): result is FileView {
  return typeof result === "object" && result !== null && "content" in result;
}

function textOf(view: FileView): string {
  return Buffer.from(view.content).toString("latin1");
}

function check(moment: Moment, options: ModelOptions, fail: (message: string) => never): void {
  const holding = moment.processes.filter(({ phase }) => phase === "holding");
  if (holding.length > options.slots) {
    fail(`${holding.length} holders at once: ${holding.map(({ life }) => life.pid).join(", ")}`);
  }
}

/**
 * Nobody is served before somebody who lives, has not cancelled and stood in line earlier; but for one
 * that was paused, and lost its place by that.
 */
function checkOrder(moment: Moment, granted: Process, fail: (message: string) => never): void {
  for (const other of moment.processes) {
    const waits =
      other !== granted && other.phase === "claiming" && other.ticket !== null && !other.cancelled;
    if (waits && other.pause !== "never" && !moment.state.names.has(other.ticket as string))
      continue;
    if (waits && (granted.ticket === null || (other.ticket as string) < granted.ticket)) {
      fail(`process ${granted.life.pid} was served before ${other.life.pid}, which came first`);
    }
  }
}

function fingerprint(moment: Moment): string {
  const { names, files, guard, dead, clock } = moment.state;
  const disk = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inode]) => `${name}>${inode}=${files.get(inode)}`);
  const processes = moment.processes.map(
    (process) => `${process.history},${process.phase},${process.cancelled},${process.pause}`,
  );
  return mix(
    `${clock}/${guard}/${[...dead].sort()}/${processes.join(";")}/${moment.lastFence}`,
    disk,
  );
}

function describe(moment: Moment, move: Move): string {
  const process = moment.processes[move.index] as Process;
  const call = process.next as StepCall;
  const args = JSON.stringify(call.args).slice(0, 100);
  return `process ${process.life.pid} ${move.kind === "step" ? "" : `${move.kind} at `}${call.name} ${args}`;
}
