import type { StepCall } from "../../src/stores/file/protocol/world.ts";
import {
  checkHalves,
  checkNewest,
  checkOrder,
  checkWeights,
  isPassedBy,
  passedBy,
} from "./checks.ts";
import { type Exploration, Violation } from "./exploration.ts";
import { PLACE } from "./lives.ts";
import {
  copyState,
  crash,
  DEAD_AFTER,
  emptyState,
  isEnabled,
  leavePasses,
  leaveTickets,
  type MemoryOptions,
  type MemoryState,
  take,
  tear,
  tick,
} from "./memory-world.ts";
import { advance, attempt, birth, type Life, mix, type Process } from "./process.ts";

export interface ModelOptions extends MemoryOptions {
  readonly lives: readonly Life[];
  readonly slots: number;
  /** Looks for two holders at once alone: not at order, fences, or claims that are stuck. */
  readonly onlyOverlaps?: boolean;
  /** How many of the processes may crash in one run. */
  readonly crashes: number;
  /** Milliseconds within which all are served. */
  readonly grantedWithin?: number;
  /** Called where everybody has ended or crashed. Throws where that is not a good end. */
  readonly atEnd: (state: MemoryState, lastFence: number) => void;
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
    checkWeights(moment.processes, options.slots, fail);
    const { clock } = moment.state;
    if (clock > (options.grantedWithin ?? clock)) fail(`somebody waited for ${clock} ms`);
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
    const waiting = alive.filter(
      ({ pause, life }) => pause !== "now" && !isIdleByItself(moment.state, life),
    );
    const isIdle = going.length === 0 && !moves.some(({ kind }) => kind === "tick");
    if (isIdle && waiting.length > 0 && !options.onlyOverlaps && !isLeftFrozen(moment))
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

/** It joined the line, and nobody has said that it is ready. */
function isIdleByItself(state: MemoryState, { joins, pid }: Life): boolean {
  return joins === true && !state.ready.has(pid);
}

/** Who could thaw the key has crashed: then all others have to wait. */
function isLeftFrozen({ state, processes }: Moment): boolean {
  const isFrozen = [...state.names.keys()].some((name) => name.endsWith("/freeze"));
  return isFrozen && processes.every(({ life, next }) => !life.isAdmin || next === null);
}

type Move = {
  readonly kind: "step" | "cancel" | "crash" | "tear" | "pause" | "continue" | "tick" | "ready";
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
    if (isEnabled(moment.state, process.life.pid, process.next, options))
      moves.push({ kind: "step", index });
    const waits =
      process.next.name === "wait" ||
      (process.next.name === "enter" && process.phase === "claiming");
    if (process.life.cancels && !process.cancelled && waits) moves.push({ kind: "cancel", index });
    if (waits && isIdleByItself(moment.state, process.life)) moves.push({ kind: "ready", index });
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
  const going = moment.processes.findIndex(({ next }) => next !== null);
  const isSilent = paused !== -1 || (isIdle && options.deadInLine !== undefined);
  if (isSilent && waits && ticks < (isIdle ? TICKS_LIMIT : FREE_TICKS))
    moves.push({ kind: "tick", index: paused === -1 ? going : paused });
  return moves;
}

function start(options: ModelOptions): Moment {
  const state = emptyState();
  if (options.deadInLine !== undefined) leaveTickets(state, PLACE.side, options.deadInLine);
  const processes = options.lives.map((life) => advance(state, birth(life), [], options, () => {}));
  return { state, processes, lastFence: 0 };
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
  if (move.kind === "ready") {
    state.ready.add(pid);
    return { ...moment, state };
  }
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
  const isGranted = after.phase === "holding" && process.phase === "claiming";
  if (isGranted && process.life.newest) checkNewest(state, moment.processes, process, fail);
  const changed = { ...after, ...ticketAfter(after, call, result) };
  const joined = seedPasses(state, changed, call, replace(changed));
  const processes = supersededBy(state, call, result, joined, fail);
  if (changed.ticket !== process.ticket && changed.ticket !== null && process.isSuperseded)
    fail(`process ${pid} joined again, though it was superseded`);
  if (isMemory(call))
    return { ...moment, state, processes: passedBy(process, processes, "passedAtMost") };
  const served =
    call.name === "link" && result === "linked" && String(call.args[0]).endsWith(".tmp");
  if (!served) return { ...moment, state, processes };
  const fence = fenceIn(state, String(call.args[1]));
  if (options.onlyOverlaps) return { ...moment, state, processes };
  checkHalves(state, fence, fail);
  // A further slot of the same grant.
  if (fence === process.fence) return { ...moment, state, processes };
  if (fence <= moment.lastFence) fail(`fence went from ${moment.lastFence} to ${fence}`);
  if ([...state.names.keys()].some((name) => name.endsWith("/freeze")))
    fail(`process ${pid} was served while the key was frozen`);
  if (isIdleByItself(state, process.life)) fail(`process ${pid} was served before it was ready`);
  checkOrder(moment.state, moment.processes, process, fail);
  const granted = processes.map((each) => (each.life === changed.life ? { ...each, fence } : each));
  return { state, processes: passedBy(process, granted, "passed"), lastFence: fence };
}

/** The step by which a grant is written into the key's memory: somebody passed from then on at most. */
function isMemory(call: StepCall): boolean {
  const path = call.name === "rename" ? call.args[1] : call.name === "put" ? call.args[0] : "";
  return path === PLACE.fence;
}

/** Marks a process whose ticket another one took away with a word to it; only some may be. */
function supersededBy(
  state: MemoryState,
  call: StepCall,
  result: unknown,
  processes: readonly Process[],
  fail: (message: string) => never,
): readonly Process[] {
  const path = String(call.args[0]);
  const word = path.replace(/\.ticket$/, ".superseded");
  if (call.name !== "remove" || result !== true || word === path || !state.names.has(word))
    return processes;
  return processes.map((process) => {
    if (process.ticket !== path) return process;
    const { pid, newest } = process.life;
    if (!newest) fail(`process ${pid} was superseded, though it waits in order of arrival`);
    if (process.phase !== "claiming") fail(`process ${pid} was superseded, though it holds`);
    return { ...process, isSuperseded: true };
  });
}

function fenceIn(state: MemoryState, lock: string): number {
  return Number(/^fence=(\d+)$/m.exec(state.files.get(state.names.get(lock) as string) ?? "")?.[1]);
}

/** A claim joins that was passed before, and with it those that came earlier. */
function seedPasses(
  state: MemoryState,
  joined: Process,
  call: StepCall,
  processes: readonly Process[],
): readonly Process[] {
  const { ticket, life } = joined;
  const { passed = 0 } = life;
  if (call.name !== "create" || ticket !== call.args[0] || ticket === null || passed === 0)
    return processes;
  leavePasses(state, PLACE.fence, ticket, passed);
  return processes.map((each) =>
    each === joined || isPassedBy(each, joined)
      ? { ...each, passed: each.passed + passed, passedAtMost: each.passedAtMost + passed }
      : each,
  );
}

function ticketAfter(process: Process, call: StepCall, result: unknown): Partial<Process> {
  const [first, second] = call.args.map(String) as [string, string];
  if (call.name === "create" && first.endsWith(".ticket")) return { ticket: first };
  if (call.name === "remove" && first === process.ticket) return { ticket: null };
  if (call.name === "rename" && first === process.ticket && result === true)
    return { ticket: second };
  return {};
}

function fingerprint(moment: Moment): string {
  const { names, files, guard, dead, ready, clock } = moment.state;
  const disk = [...names]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, inode]) => `${name}>${inode}=${files.get(inode)}`);
  const processes = moment.processes.map(
    (process) =>
      `${process.history},${process.phase},${process.cancelled},${process.pause},${process.isSuperseded},${process.passed},${process.passedAtMost},${process.fence}`,
  );
  return mix(
    `${clock}/${guard}/${[...dead].sort()}/${[...ready].sort()}/${processes.join(";")}/${moment.lastFence}`,
    disk,
  );
}

function describe(moment: Moment, move: Move): string {
  const process = moment.processes[move.index] as Process;
  const call = process.next as StepCall;
  const args = JSON.stringify(call.args).slice(0, 100);
  return `process ${process.life.pid} ${move.kind === "step" ? "" : `${move.kind} at `}${call.name} ${args}`;
}
