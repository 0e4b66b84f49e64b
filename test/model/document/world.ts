import type { KeyDocument } from "../../../src/stores/document/document.ts";
import { parseDocument } from "../../../src/stores/document/format.ts";
import type { JobLife, RunLife } from "../../../src/stores/document/life.ts";
import type { StepCall } from "../../../src/stores/document/protocol/world.ts";
import type { AliveSessions, Swap, Version } from "../../../src/stores/engines/register.ts";

export const KEY = "k";
/** Claims from this number on were left by processes that are no longer there. */
export const GONE = 100;
/** The wall clock stands still: the worst case for everything that wants to follow it. */
export const NOW = 1_794_000_000_000;

/** The whole world of a model run at one moment; copied before every step. */
export interface ModelState {
  /** The latest states of the register, the newest last: a read that lags may show an older one. */
  states: readonly number[];
  /** Swaps whose answer was lost and that may still arrive. */
  pending: readonly { readonly pid: number; readonly version: number; readonly next: number }[];
  /** Processes whose session lives. A crash does not end it at once. */
  alive: ReadonlySet<number>;
  dead: ReadonlySet<number>;
  ended: ReadonlySet<number>;
  monotonic: number;
  /** Grows when a life changes: who waits looks at lives as well. */
  lives: number;
  /** How many answers may still get lost, reads lag, and times time may pass. */
  lost: number;
  lags: number;
  jumps: number;
  /** Nonces used so far, by process. */
  nonces: ReadonlyMap<number, number>;
}

/** What is wrong on purpose. The model must find each of them. */
export interface Mutations {
  /** Every state has the same nonce. */
  readonly noNonce?: boolean;
  /** A swap whose answer was lost is tried again without looking: what was meant is put over what is there. */
  readonly blindRetry?: boolean;
  /** Every claim counts as alive, also where nothing is known of it. */
  readonly promoteTheDead?: boolean;
  /** A swap does not compare. */
  readonly noCompare?: boolean;
  /** Who is not known to live counts as dead. */
  readonly robOnUnknown?: boolean;
  /** Reads do not show that a key is frozen. */
  readonly hideFreeze?: boolean;
  /** Reads do not show that claims in line gave a sign of life. */
  readonly hideSigns?: boolean;
  /** All claims in line look as if they wanted to be the newest. */
  readonly allNewest?: boolean;
  /** Reads do not show that who reads was superseded. */
  readonly hideSuperseded?: boolean;
  /** All locks look as if they belonged to this run. */
  readonly allOfRun?: string;
  /** Reads do not show this of claims in line and of holders. */
  readonly hide?: "weight" | "priority" | "passed" | "ready";
}

/** What a read shows, where it is to show something wrong. */
function distorted({ version, text }: Version, pid: number, options: Mutations): Version {
  const { hideFreeze, hideSigns, allNewest, hideSuperseded, allOfRun, hide } = options;
  const isTrue = !(
    hideFreeze ||
    hideSigns ||
    allNewest ||
    hideSuperseded ||
    (allOfRun ?? hide) !== undefined
  );
  if (isTrue || text === null) return { version, text };
  const document = JSON.parse(text) as KeyDocument;
  const shown: KeyDocument = {
    ...document,
    ...(hideFreeze ? { freeze: null } : {}),
    ...(hideSigns ? { line: document.line.map(({ sign: _, ...each }) => each) } : {}),
    ...(hideSuperseded
      ? { superseded: document.superseded.filter(({ id }) => id !== sessionOf(pid)) }
      : {}),
    ...(hide === undefined
      ? {}
      : { line: document.line.map((each) => ({ ...each, [hide]: undefined })) }),
    ...(hide === "weight"
      ? { holders: document.holders.map(({ slots: _, ...each }) => each) }
      : {}),
    ...(allNewest ? { line: document.line.map((each) => ({ ...each, newest: true })) } : {}),
    ...(allOfRun === undefined
      ? {}
      : { holders: document.holders.map((each) => ({ ...each, run: allOfRun })) }),
  };
  return { version, text: JSON.stringify(shown) };
}

export interface WorldOptions extends Mutations {
  /** Whether lives can be asked about: by sessions, by the forge, or not at all. */
  readonly known: "session" | "job" | "unknown";
  /** The processes of each run: it is over when all of them are. */
  readonly runs?: ReadonlyMap<string, readonly number[]>;
  /** How often the claims of these processes were passed when they joined the line. */
  readonly passed?: ReadonlyMap<number, number>;
}

/**
 * Texts by number: equal texts are one version, as equal commits are one in git. So a state is told
 * from another by its content alone, and two that are alike are the same.
 */
const texts: string[] = [""];
const numbers = new Map<string, number>();
const documents: (KeyDocument | null)[] = [null];

export function numberOf(text: string): number {
  const known = numbers.get(text);
  if (known !== undefined) return known;
  numbers.set(text, texts.length);
  documents.push(parseDocument(text, KEY));
  return texts.push(text) - 1;
}

/**
 * A document without what decides nothing any more: the past, the order of its nonces, and those of
 * processes that are no longer there to look for them. So runs that differ in the past alone meet.
 */
function normalised(text: string, state: ModelState, { passed }: WorldOptions): string {
  const document = JSON.parse(text) as KeyDocument;
  const isGone = (pid: number) => state.ended.has(pid) || state.dead.has(pid);
  const nonces = document.nonces.filter((nonce) => !isGone(Number(/^n(\d+)\./.exec(nonce)?.[1])));
  const before = new Map([...(passed ?? [])].map(([pid, times]) => [sessionOf(pid), times]));
  const line = document.line.map((each) =>
    before.has(each.id) ? { ...each, passed: each.passed ?? before.get(each.id) } : each,
  );
  const past = { holds: [], taken: [], nonces: [...new Set(nonces)].sort() };
  return JSON.stringify({ ...document, line, ...past });
}

/** 0 is no document. */
export function documentOf(number: number): KeyDocument | null {
  return documents[number] ?? null;
}

export function current(state: ModelState): number {
  return state.states.at(-1) ?? 0;
}

/** As far may a read lag behind. */
const STATES_KEPT = 3;

export function versionOf(number: number): Version {
  if (number === 0) return { version: null, text: null };
  return { version: `v${number}`, text: texts[number] as string };
}

function numberOfVersion(version: string | null): number {
  return version === null ? 0 : Number(version.slice(1));
}

export function sessionOf(pid: number): string {
  return `session-${pid}`;
}

export function jobOf(pid: number): JobLife {
  return {
    kind: "job",
    api: "",
    repository: "",
    run: "",
    attempt: "",
    job: `${pid}`,
    runner: null,
  };
}

/** Steps that nobody else can see or disturb: taken together with the step that follows. */
/*
 * So are questions about lives: their answers depend on crashes and sessions alone, and a crash before
 * the reading that led to the question is the same as one between the two.
 */
export const PRIVATE_STEPS = new Set([
  "now",
  "monotonic",
  "nonce",
  "backOff",
  "phase",
  "report",
  "aliveSessions",
  "alive",
]);

export function takePrivate(
  state: ModelState,
  pid: number,
  { name, args }: StepCall,
  options: WorldOptions,
): unknown {
  switch (name) {
    case "nonce":
      return options.noNonce ? "same" : `n${pid}.${state.nonces.get(pid) ?? 0}`;
    case "now":
      return { now: NOW, shared: true };
    case "monotonic":
      return state.monotonic;
    case "backOff":
      return "changed";
    case "aliveSessions":
      return aliveAmong(state, args[0] as string[], options);
    case "alive":
      return (args[0] as (JobLife | RunLife)[]).map((life) => aliveNow(state, life, options));
    default:
      return undefined;
  }
}

/** One way in which a step may turn out. */
export interface Turnout {
  readonly how: string;
  readonly state: ModelState;
  readonly result: unknown;
}

/** All ways in which a step may turn out. */
export function turnouts(
  state: ModelState,
  pid: number,
  call: StepCall,
  options: WorldOptions,
): Turnout[] {
  switch (call.name) {
    case "read":
      return reads(state, pid, call.args[0] as boolean, options);
    case "swap":
      return swaps(state, pid, call.args as [string | null, string], options);
    case "wait":
      return [{ how: "", state, result: "changed" }];
    default:
      throw new Error(`no such step: ${call.name}`);
  }
}

function aliveAmong(state: ModelState, ids: string[], options: WorldOptions): AliveSessions | null {
  const all = (isAlive: (id: string) => boolean) => new Map(ids.map((id) => [id, isAlive(id)]));
  if (options.promoteTheDead) return all(() => true);
  if (options.known !== "session") return options.robOnUnknown ? all(() => false) : null;
  const alive = [...state.alive].map(sessionOf);
  return all((id) => alive.includes(id));
}

function aliveNow(
  state: ModelState,
  life: JobLife | RunLife,
  options: WorldOptions,
): boolean | null {
  if (life.kind === "run") {
    const pids = options.runs?.get(life.run) ?? [];
    return pids.some((pid) => !state.dead.has(pid) && !state.ended.has(pid));
  }
  if (options.known !== "job") return options.robOnUnknown ? false : null;
  return Number(life.job) < GONE && !state.dead.has(Number(life.job));
}

function reads(state: ModelState, pid: number, strong: boolean, options: Mutations): Turnout[] {
  const now: Turnout = {
    how: "",
    state,
    result: distorted(versionOf(current(state)), pid, options),
  };
  if (strong || state.lags === 0) return [now];
  const older = [0, ...state.states].slice(0, -1).slice(1 - STATES_KEPT);
  const lagging = older.map((number, index) => ({
    how: `lags by ${older.length - index}`,
    state: { ...state, lags: state.lags - 1 },
    result: distorted(versionOf(number), pid, options),
  }));
  return [now, ...lagging];
}

function swaps(
  before: ModelState,
  pid: number,
  [version, text]: [string | null, string],
  options: WorldOptions,
): Turnout[] {
  const from = numberOfVersion(version);
  const next = numberOf(normalised(text, before, options));
  const isCurrent = current(before) === from || options.noCompare === true;
  // As in git: what is already there is success, whoever put it there.
  const stands = isCurrent || current(before) === next;
  const done: Swap = { outcome: "done", version: `v${next}` };
  // The nonce of a swap that lost is in no document, and never will be: it serves again.
  if (!stands) {
    const over = { how: "lost, retried", state: put(spend(before, pid), next), result: done };
    const unknown = { how: "lost", state: spend(before, pid), result: UNKNOWN };
    const lost = options.blindRetry ? over : unknown;
    const conflict = { how: "", state: before, result: { outcome: "conflict" } };
    return before.lost === 0 ? [conflict] : [conflict, lost];
  }
  const after = isCurrent ? put(before, next) : before;
  const plain = { how: "", state: count(after, pid), result: done };
  if (before.lost === 0) return [plain];
  if (options.blindRetry) return [plain, { ...plain, how: "lost", state: spend(after, pid) }];
  const pending = [...before.pending, { pid, version: from, next }];
  return [
    plain,
    { how: "lost", state: spend(after, pid), result: UNKNOWN },
    { how: "lost and not done", state: spend(before, pid), result: UNKNOWN },
    { how: "late", state: { ...spend(before, pid), pending }, result: UNKNOWN },
  ];
}

const UNKNOWN: Swap = { outcome: "unknown", why: "lost" };

function count(state: ModelState, pid: number): ModelState {
  return { ...state, nonces: new Map(state.nonces).set(pid, (state.nonces.get(pid) ?? 0) + 1) };
}

function spend(state: ModelState, pid: number): ModelState {
  return { ...count(state, pid), lost: state.lost - 1 };
}

/** Puts a state in place. Swaps that were meant for another one can no longer arrive. */
export function put(state: ModelState, next: number): ModelState {
  const states = [...state.states, next].slice(state.lags === 0 ? -1 : -STATES_KEPT);
  return { ...state, states, pending: state.pending.filter(({ version }) => version === next) };
}
