import { Cancelled } from "../../../src/stores/document/protocol/swap.ts";
import type { StepCall, Steps } from "../../../src/stores/document/protocol/world.ts";
import { type Exploration, Violation } from "../explorer.ts";
import { checkSwap } from "./checks.ts";
import {
  current,
  type ModelState,
  PRIVATE_STEPS,
  put,
  type Turnout,
  takePrivate,
  turnouts,
  versionOf,
  type WorldOptions,
} from "./world.ts";

export type Event = "granted" | "letting-go";

export interface Life {
  readonly pid: number;
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

export interface ModelOptions extends WorldOptions {
  readonly lives: readonly Life[];
  readonly slots: number;
  readonly crashes: number;
  /** How many answers may get lost, and reads lag, in one run. */
  readonly lost: number;
  readonly lags: number;
  /** How often time may pass, and by how much. */
  readonly jumps: number;
  readonly jump: number;
  /**
   * True: time passes only while nobody can move, as if every process were faster than the grace.
   * False: it passes at any moment, and order is not checked: two holders must still not be.
   */
  readonly timely: boolean;
  readonly atEnd: (state: ModelState) => void;
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
  /** Of the world, when it last read. */
  readonly livesSeen: number;
  /** Time has passed since it began to wait. */
  readonly isRested: boolean;
}

interface Moment {
  readonly state: ModelState;
  readonly processes: readonly Process[];
}

interface Move {
  readonly text: string;
  readonly isProgress: boolean;
  readonly make: () => Moment;
}

/** Walks through every order of every process's steps, and everything that may go wrong around them. */
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
    const holding = moment.processes.filter(({ phase }) => phase === "holding");
    if (holding.length > options.slots)
      fail(`${holding.length} holders at once: ${holding.map(({ life }) => life.pid).join(", ")}`);
    const living = moment.processes.filter(({ next }) => next !== null);
    const moves = movesOf(moment, options, fail);
    if (living.length === 0) {
      count.ends++;
      try {
        options.atEnd(moment.state);
      } catch (error) {
        fail(`bad end: ${(error as Error).message}`);
      }
    } else if (!moves.some(({ isProgress }) => isProgress)) {
      fail(`stuck: ${living.map(({ life }) => life.pid).join(", ")} wait for ever`);
    }
    for (const move of moves) {
      count.transitions++;
      schedule.push(move.text);
      const after = move.make();
      if (after.processes.filter(isHolding).length > holding.length) count.grants++;
      visit(after);
      schedule.pop();
    }
  };
  visit(start(options, fail));
  return count;
}

const isHolding = ({ phase }: Process) => phase === "holding";

type Fail = (message: string) => never;

function movesOf(moment: Moment, options: ModelOptions, fail: Fail): Move[] {
  const { state, processes } = moment;
  const moves = processes.flatMap((process, index) =>
    process.next === null ? [] : movesOfProcess(moment, process, index, options, fail),
  );
  for (const swap of state.pending) {
    const landed = () => put(state, swap.next);
    moves.push({
      text: `the late swap of process ${swap.pid} arrives`,
      isProgress: false,
      make: () => {
        checkSwap(current(state), current(landed()), options, processes, fail);
        return { ...moment, state: landed() };
      },
    });
  }
  for (const pid of state.dead) {
    if (!state.lit.has(pid)) continue;
    const lit = new Set([...state.lit].filter((each) => each !== pid));
    const make = () => ({ ...moment, state: { ...state, lit, lives: state.lives + 1 } });
    moves.push({ text: `the beacon of process ${pid} goes out`, isProgress: true, make });
  }
  const waiting = processes.filter(({ next }) => next?.name === "wait");
  const isQuiet = moves.every(({ isProgress }) => !isProgress);
  if (state.jumps > 0 && waiting.length > 0 && (isQuiet || !options.timely)) {
    const make = () => ({
      state: { ...state, jumps: state.jumps - 1, monotonic: state.monotonic + options.jump },
      processes: processes.map((each) => ({ ...each, isRested: each.next?.name === "wait" })),
    });
    moves.push({ text: "time passes", isProgress: true, make });
  }
  return moves;
}

function movesOfProcess(
  moment: Moment,
  process: Process,
  index: number,
  options: ModelOptions,
  fail: Fail,
): Move[] {
  const { state } = moment;
  const call = process.next as StepCall;
  const { pid, cancels } = process.life;
  const name = `process ${pid} ${call.name}`;
  const after = (changed: Process, next: ModelState): Moment => ({
    state: next,
    processes: moment.processes.map((other, place) => (place === index ? changed : other)),
  });
  const step = (turnout: Turnout, before = process): Moment => {
    if (current(turnout.state) !== current(state))
      checkSwap(current(state), current(turnout.state), options, moment.processes, fail);
    const result = advance(turnout.state, before, [turnout.result], call, options, fail);
    return after(result.process, result.state);
  };
  const moves: Move[] = [];
  if (call.name !== "wait" || wakes(state, process, call)) {
    for (const turnout of turnouts(state, pid, call, options)) {
      const text = `${name} ${shown(call)} ${turnout.how}`;
      moves.push({ text, isProgress: true, make: () => step(turnout) });
    }
  }
  const mayCancel = call.name === "wait" || (call.name === "read" && process.phase === "claiming");
  if (mayCancel && cancels && !process.cancelled) {
    const before = { ...process, cancelled: true };
    const result = call.name === "wait" ? "cancelled" : CANCELLED;
    const make = () => step({ how: "", state, result }, before);
    moves.push({ text: `${name}: cancelled`, isProgress: false, make });
  }
  if (state.dead.size < options.crashes) {
    const make = () =>
      after(
        { ...process, next: null, phase: "crashed", results: [], history: "crashed" },
        { ...state, dead: new Set([...state.dead, pid]), lives: state.lives + 1 },
      );
    moves.push({ text: `process ${pid} crashes before ${call.name}`, isProgress: false, make });
  }
  return moves;
}

/** What a read throws where the claim was cancelled during it. */
const CANCELLED = new Cancelled("cancelled");

function feed(steps: Steps<unknown>, result: unknown): IteratorResult<StepCall, unknown> {
  return result === CANCELLED ? steps.throw(CANCELLED) : steps.next(result);
}

/** Who waits wakes when the document or a life has changed, or time has passed. */
function wakes(state: ModelState, process: Process, call: StepCall): boolean {
  const { version } = versionOf(current(state));
  return version !== call.args[0] || state.lives !== process.livesSeen || process.isRested;
}

function start(options: ModelOptions, fail: Fail): Moment {
  const { lost, lags, jumps } = options;
  let state: ModelState = {
    states: [],
    pending: [],
    lit: new Set(options.lives.map(({ pid }) => pid)),
    dead: new Set(),
    ended: new Set(),
    monotonic: 1_000_000,
    lives: 0,
    lost,
    lags,
    jumps,
    nonces: new Map(),
  };
  const processes = options.lives.map((life) => {
    const born: Process = {
      life,
      results: [],
      history: "",
      next: null,
      phase: "claiming",
      cancelled: false,
      livesSeen: 0,
      isRested: false,
    };
    const begun = advance(state, born, [], null, options, fail);
    state = begun.state;
    return begun.process;
  });
  return { state, processes };
}

/** Rebuilds a process from its results and lets it run to its next step that others can notice. */
function advance(
  state: ModelState,
  process: Process,
  more: readonly unknown[],
  taken: StepCall | null,
  options: ModelOptions,
  fail: Fail,
): { process: Process; state: ModelState } {
  let phase: Phase = "claiming";
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
    for (const result of results) turn = feed(steps, result);
    while (!turn.done && PRIVATE_STEPS.has(turn.value.name)) {
      const result = takePrivate(state, pid, turn.value, options);
      results.push(result);
      history = mix(history, result);
      turn = steps.next(result);
    }
  } catch (error) {
    return fail(`process ${pid} failed: ${(error as Error).stack}`);
  }
  const livesSeen = taken?.name === "read" ? state.lives : process.livesSeen;
  const rest = { livesSeen, isRested: false };
  if (turn.done) {
    const lit = new Set([...state.lit].filter((each) => each !== pid));
    const ended = new Set([...state.ended, pid]);
    const end = { results: [], history: "ended", next: null, phase: "ended" as const };
    return { process: { ...process, ...rest, ...end }, state: { ...state, lit, ended } };
  }
  // What came before a wait, a grant or a release is forgotten but for what is dumped.
  if (turn.value.name === "wait") history = mix("wait", dump());
  else if (phase !== process.phase) history = phase;
  return { process: { ...process, ...rest, results, history, next: turn.value, phase }, state };
}

/** A rolling hash in two halves: enough for millions of states, far cheaper than a digest. */
function mix(history: string, result: unknown): string {
  const text = `${history}|${JSON.stringify(short(result) ?? null)}`;
  let a = 0x811c9dc5;
  let b = 0x1000193;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    a = Math.imul(a ^ c, 0x01000193);
    b = Math.imul(b ^ (c + i), 0x85ebca6b) ^ (b >>> 13);
  }
  return `${(a >>> 0).toString(36)}.${(b >>> 0).toString(36)}`;
}

/** A version stands for its text. */
function short(result: unknown): unknown {
  if (result === CANCELLED) return "cancelled";
  if (result instanceof Set) return [...result];
  if (typeof result === "object" && result !== null && "version" in result) return result.version;
  return result;
}

function fingerprint({ state, processes }: Moment): string {
  const each = processes.map((process) => [
    process.history,
    process.next?.name,
    process.cancelled,
    process.livesSeen === state.lives,
    process.next?.name === "wait" && wakes(state, process, process.next),
  ]);
  const { states, pending, lit, dead, monotonic, lost, lags, jumps, nonces } = state;
  return JSON.stringify([
    each,
    states,
    pending,
    [...lit].sort(),
    [...dead].sort(),
    monotonic,
    lost,
    lags,
    jumps,
    [...nonces].sort(),
  ]);
}

function shown(call: StepCall): string {
  if (call.name === "read") return call.args[0] ? "strongly" : "";
  return call.name === "swap" || call.name === "wait" ? String(call.args[0]) : "";
}
