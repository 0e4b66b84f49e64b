import { emptyDocument } from "../../../src/stores/document/document.ts";
import type { StepCall } from "../../../src/stores/document/protocol/world.ts";
import { type Exploration, Violation } from "../exploration.ts";
import { checkSwap } from "./checks.ts";
import { waiterOf } from "./lives.ts";
import { advance, birth, CANCELLED, type Fail, type Life, type Process } from "./process.ts";
import {
  current,
  documentOf,
  GONE,
  KEY,
  type ModelState,
  numberOf,
  put,
  type Turnout,
  turnouts,
  versionOf,
  type WorldOptions,
} from "./world.ts";

export interface ModelOptions extends WorldOptions {
  readonly lives: readonly Life[];
  readonly slots: number;
  readonly lineLimit: number;
  readonly crashes: number;
  /** Only processes that are not ready crash. Then nobody has to wait for anything. */
  readonly onlyUnready: boolean;
  /** How many answers may get lost, and reads lag, in one run. */
  readonly lost: number;
  readonly lags: number;
  /** How often time may pass, and by how much at most: in time, only until the next one has to look. */
  readonly jumps: number;
  readonly jump: number;
  /** So many claims of processes that are no longer there stand in line at the start. */
  readonly deadInLine: number;
  /** Milliseconds from the start within which everybody has to be granted the lock. */
  readonly grantedWithin: number;
  /**
   * True: time passes only while nobody can move, as if every process were faster than the grace.
   * False: it passes at any moment, and order is not checked: two holders must still not be.
   */
  readonly timely: boolean;
  readonly atEnd: (state: ModelState) => void;
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
    const held = new Map(holding.map(({ life }) => [life.ofRun ?? life.pid, life.weight]));
    if ([...held.values()].reduce((sum, weight) => sum + weight, 0) > options.slots)
      fail(`${held.size} holders at once: ${holding.map(({ life }) => life.pid).join(", ")}`);
    const living = moment.processes.filter(({ next }) => next !== null);
    const moves = movesOf(moment, options, fail);
    if (living.length === 0) {
      count.ends++;
      try {
        options.atEnd(moment.state);
      } catch (error) {
        fail(`bad end: ${(error as Error).message}`);
      }
    } else if (!moves.some(({ isProgress }) => isProgress) && !isLeftFrozen(moment)) {
      fail(`stuck: ${living.map(({ life }) => life.pid).join(", ")} wait for ever`);
    }
    for (const move of moves) {
      count.transitions++;
      schedule.push(move.text);
      const after = move.make();
      if (after.processes.filter(isHolding).length > holding.length) {
        count.grants++;
        const waited = after.state.monotonic - BEGINNING;
        if (waited > options.grantedWithin) fail(`granted only after ${waited} ms`);
      }
      visit(after);
      schedule.pop();
    }
  };
  visit(start(options, fail));
  return count;
}

/** Who could thaw the key has crashed: then all others have to wait. */
function isLeftFrozen({ state, processes }: Moment): boolean {
  const isFrozen = documentOf(current(state))?.freeze != null;
  return isFrozen && processes.every(({ life, next }) => !life.isAdmin || next === null);
}

const isHolding = ({ phase }: Process) => phase === "holding";

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
    if (!state.alive.has(pid)) continue;
    const alive = new Set([...state.alive].filter((each) => each !== pid));
    const make = () => ({ ...moment, state: { ...state, alive, lives: state.lives + 1 } });
    moves.push({ text: `the session of process ${pid} dies`, isProgress: true, make });
  }
  const waiting = processes.filter(({ next }) => next?.name === "wait");
  const isQuiet = moves.every(({ isProgress }) => !isProgress);
  if (state.jumps > 0 && waiting.length > 0 && (isQuiet || !options.timely)) {
    // Who lives looks when it said that it would.
    const soonest = Math.min(...waiting.map(({ next }) => next?.args[1] as number));
    const jump = options.timely ? Math.min(options.jump, soonest) : options.jump;
    const make = () => ({
      state: { ...state, jumps: state.jumps - 1, monotonic: state.monotonic + jump },
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
  if (call.name === "wait" && !process.isReady) {
    const make = () => step({ how: "", state, result: "ready" }, { ...process, isReady: true });
    moves.push({ text: `${name}: it is ready`, isProgress: true, make });
  }
  const mayCancel =
    call.name === "wait" ||
    (call.name === "read" && process.phase === "claiming" && !process.isEnding);
  if (mayCancel && cancels && !process.cancelled) {
    const before = { ...process, cancelled: true };
    const result = call.name === "wait" ? "cancelled" : CANCELLED;
    const make = () => step({ how: "", state, result }, before);
    moves.push({ text: `${name}: cancelled`, isProgress: false, make });
  }
  const mayCrash = !options.onlyUnready || !process.isReady;
  if (state.dead.size < options.crashes && mayCrash) {
    const make = () =>
      after(
        { ...process, next: null, phase: "crashed", results: [], history: "crashed" },
        { ...state, dead: new Set([...state.dead, pid]), lives: state.lives + 1 },
      );
    moves.push({ text: `process ${pid} crashes before ${call.name}`, isProgress: false, make });
  }
  return moves;
}

/** Who waits wakes when the document or a life has changed, or time has passed. */
function wakes(state: ModelState, process: Process, call: StepCall): boolean {
  const { version } = versionOf(current(state));
  return version !== call.args[0] || state.lives !== process.livesSeen || process.isRested;
}

function start(options: ModelOptions, fail: Fail): Moment {
  const { lost, lags, jumps } = options;
  let state: ModelState = {
    states: options.deadInLine === 0 ? [] : [deadLine(options)],
    pending: [],
    alive: new Set(options.lives.map(({ pid }) => pid)),
    dead: new Set(),
    ended: new Set(),
    monotonic: BEGINNING,
    lives: 0,
    lost,
    lags,
    jumps,
    nonces: new Map(),
  };
  const processes = options.lives.map((life) => {
    const begun = advance(state, birth(life), [], null, options, fail);
    state = begun.state;
    return begun.process;
  });
  return { state, processes };
}

const BEGINNING = 1_000_000;

/** A key that is free, with a line of claims whose processes are gone. */
function deadLine({ deadInLine: length, known, slots }: ModelOptions): number {
  const free = { ...emptyDocument(KEY), slots, nonce: "free" };
  const line = Array.from({ length }, (_, index) => waiterOf(GONE + index, known));
  return numberOf(JSON.stringify({ ...free, line, turn: "free" }));
}

function fingerprint({ state, processes }: Moment): string {
  const each = processes.map((process) => [
    process.history,
    process.next?.name,
    process.cancelled,
    process.isReady,
    process.livesSeen === state.lives,
    process.next?.name === "wait" && wakes(state, process, process.next),
  ]);
  const { states, pending, alive, dead, monotonic, lost, lags, jumps, nonces } = state;
  return JSON.stringify([
    each,
    states,
    pending,
    [...alive].sort(),
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
