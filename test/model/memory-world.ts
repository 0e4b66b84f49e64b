import type { ProcessMark } from "../../src/machine/processes.ts";
import {
  nextTicketName,
  parseTicket,
  type Ticket,
  writeTicket,
} from "../../src/stores/file/format/ticket.ts";
import type {
  Descriptor,
  FileView,
  StepCall,
  Watch,
} from "../../src/stores/file/protocol/world.ts";

/** The whole world of a model run at one moment; copied before every step. */
export interface MemoryState {
  /** Names to inodes. */
  names: Map<string, string>;
  /** Inodes to contents. An inode without a name stays as long as somebody may have it open. */
  files: Map<string, string>;
  guard: number | null;
  /** Those that crashed. */
  dead: Set<number>;
  /** Those that came to their end: no longer alive either. */
  ended: Set<number>;
  /** Milliseconds that have passed. They pass only where a process is paused, which others must wait out. */
  clock: number;
  /** Those that may take the lock by now, of those that joined the line early. */
  ready: Set<number>;
  /** Inodes and random values made so far, by process: they depend on its own steps alone. */
  made: Map<number, number>;
}

/** Claims in line of processes that are no longer there, or that are stopped for ever. */
export interface DeadLine {
  readonly length: number;
  /** Of another machine, so that nothing but their silence tells; or of this one, and stopped. */
  readonly where: "elsewhere" | "stopped";
}

/** Such processes have numbers from here on. */
const GONE = 100;

export function leaveTickets(state: MemoryState, side: string, { length, where }: DeadLine): void {
  for (let index = 0; index < length; index++) {
    const pid = GONE + index;
    const host = where === "elsewhere" ? "elsewhere" : "host";
    const ticket: Ticket = {
      owner: `p${pid}`,
      note: null,
      metadata: {},
      slots: 1,
      since: NOW,
      deadAfter: DEAD_AFTER,
      beat: 0,
      process: { ...markOf(pid), host },
    };
    const name = nextTicketName([], NOW - 1_000 + index, `r${pid}`);
    create(state, pid, `${side}/${name}`, writeTicket(ticket));
  }
}

export function emptyState(): MemoryState {
  return {
    names: new Map(),
    files: new Map(),
    guard: null,
    dead: new Set(),
    ended: new Set(),
    clock: 0,
    ready: new Set(),
    made: new Map(),
  };
}

export function copyState(state: MemoryState): MemoryState {
  return {
    names: new Map(state.names),
    files: new Map(state.files),
    guard: state.guard,
    dead: new Set(state.dead),
    ended: new Set(state.ended),
    clock: state.clock,
    ready: new Set(state.ready),
    made: new Map(state.made),
  };
}

/** The clock stands still: the worst case for everything that wants to follow it. */
export const NOW = 1_794_000_000_000;
export const MONOTONIC = 5_000_000;
export const DEAD_AFTER = 30_000;

export function markOf(pid: number): ProcessMark {
  return { pid, start: String(pid), boot: "boot", namespace: "pid:[1]", host: "host" };
}

/** Steps that nobody else can see or disturb: taken together with the step that follows. */
export const PRIVATE_STEPS = new Set(["now", "fileNow", "monotonic", "random", "close", "term"]);

export interface MemoryOptions {
  /** False: everybody may enter at any time. The model must then find an overlap. */
  readonly guarded: boolean;
  /** True: link replaces what is there, as rename does. The model must then find two holders. */
  readonly linkReplaces?: boolean;
  /** The line at the start. */
  readonly deadInLine?: DeadLine;
  /** This process does not see that the key is frozen. The model must then find it served. */
  readonly hideFreeze?: number;
  /** True: every ticket looks as if its claim wanted to be the newest. */
  readonly allNewest?: boolean;
  /** True: nobody is told that it was superseded. */
  readonly hideSuperseded?: boolean;
  /** True: nobody is told who was passed. */
  readonly hidePasses?: boolean;
  /** True: nobody is woken when somebody was passed. */
  readonly deafToPasses?: boolean;
  /** True: a lock file does not tell that it is one of several. */
  readonly hideTogether?: boolean;
  /** True: claims that joined early count as ready. */
  readonly isEverybodyReady?: boolean;
  /** True: nobody is woken by its readiness. */
  readonly deafToReadiness?: boolean;
}

/** Whether a process's next step can be taken now. */
export function isEnabled(
  state: MemoryState,
  pid: number,
  call: StepCall,
  options: MemoryOptions,
): boolean {
  if (call.name === "enter") return !options.guarded || state.guard === null;
  if (call.name === "wait") return wakes(state, pid, call.args[0] as Watch, options);
  return true;
}

function wakes(state: MemoryState, pid: number, watch: Watch, options: MemoryOptions): boolean {
  const files = watch.files.filter(({ path }) => !(options.deafToPasses && isFence(path)));
  return (
    files.some((file) => (state.names.get(file.path) ?? null) !== file.inode) ||
    (watch.readiness === true && state.ready.has(pid) && !options.deafToReadiness) ||
    watch.processes.some((mark) => !isAlive(state, mark)) ||
    (watch.reviewAt !== null && watch.reviewAt <= MONOTONIC + state.clock)
  );
}

function isFence(path: string): boolean {
  return path.endsWith("/fence");
}

function isAlive(state: MemoryState, { pid }: ProcessMark): boolean {
  return !state.dead.has(pid) && !state.ended.has(pid);
}

/** Takes one step of a process, changing the state; what it returns is what the disk would. */
export function take(
  state: MemoryState,
  pid: number,
  call: StepCall,
  options: MemoryOptions,
): unknown {
  const [first, second] = call.args as [string, string];
  switch (call.name) {
    case "list": {
      const prefix = `${first}/`;
      return [...state.names.keys()].flatMap((name) =>
        name.startsWith(prefix) && !(options.hideFreeze === pid && name.endsWith("/freeze"))
          ? [name.slice(prefix.length)]
          : [],
      );
    }
    case "read": {
      const inode = state.names.get(first);
      if (options.hideSuperseded && first.endsWith(".superseded")) return null;
      if (inode !== undefined && options.allNewest && first.endsWith(".ticket"))
        return asNewest(view(state, inode));
      return inode === undefined ? null : hide(first, view(state, inode), options);
    }
    case "inode":
      return state.names.get(first) ?? null;
    case "create":
      return create(state, pid, first, second);
    case "open": {
      const inode = state.names.get(first);
      return inode === undefined ? null : { handle: pid, inode };
    }
    case "link":
      return link(state, first, second, options.linkReplaces ?? false);
    case "rename": {
      const inode = state.names.get(first);
      if (inode === undefined) return false;
      state.names.delete(first);
      state.names.set(second, inode);
      return true;
    }
    case "remove":
      return state.names.delete(first);
    case "put": {
      const inode = state.names.get(first) ?? newInode(state, pid);
      state.names.set(first, inode);
      state.files.set(inode, second);
      return undefined;
    }
    case "append":
    case "close":
      return undefined;
    case "overwrite":
      state.files.set((call.args[0] as Descriptor).inode, second);
      return undefined;
    case "enter":
      if (options.guarded) state.guard = pid;
      return "entered";
    case "leave":
      if (state.guard === pid) state.guard = null;
      return undefined;
    case "alive":
      return (call.args[0] as ProcessMark).host === "elsewhere"
        ? null
        : isAlive(state, call.args[0] as ProcessMark);
    case "describe":
      return { name: "node", stopped: false };
    case "runAlive":
    case "askForge":
      return null;
    case "now":
    case "fileNow":
      return NOW;
    case "monotonic":
      return MONOTONIC + state.clock;
    case "random":
      return `r${pid}x${count(state, pid)}`;
    case "term":
      return { isReady: options.isEverybodyReady || state.ready.has(pid), mayWait: true };
    case "wait":
      return "changed";
  }
}

/** A crash in the middle of writing a new file: its name is there, its content is not. */
export function tear(state: MemoryState, pid: number, call: StepCall): void {
  const path = call.args[0] as string;
  if (!state.names.has(path)) create(state, pid, path, "");
}

export function crash(state: MemoryState, pid: number): void {
  state.dead.add(pid);
  if (state.guard === pid) state.guard = null;
}

/** Time passes: long enough that a silent waiter may lose its place, and those that run have beaten. */
export function tick(state: MemoryState, beating: readonly string[]): void {
  state.clock += DEAD_AFTER;
  for (const path of beating) {
    const inode = state.names.get(path);
    const ticket = parseTicket(bytesOf(state.files.get(inode ?? "") ?? ""));
    if (inode !== undefined && ticket !== null)
      state.files.set(inode, writeTicket({ ...ticket, beat: ticket.beat + 1 }));
  }
}

function view(state: MemoryState, inode: string): FileView {
  return { content: bytesOf(state.files.get(inode) ?? ""), inode, modified: NOW };
}

function hide(path: string, seen: FileView, options: MemoryOptions): FileView {
  const hidden =
    options.hidePasses && isFence(path)
      ? /^passed=.*\n/m
      : options.hideTogether && path.endsWith(".lock") && /^slots_together=.*\n/m;
  if (!hidden) return seen;
  return { ...seen, content: bytesOf(Buffer.from(seen.content).toString().replace(hidden, "")) };
}

/** Writes into a key's memory that the claim with that ticket was passed so often, and those before it. */
export function leavePasses(
  state: MemoryState,
  path: string,
  ticket: string,
  passes: number,
): void {
  const inode = state.names.get(path) ?? newInode(state, GONE);
  const [line, key] = (state.files.get(inode) ?? "fence=1 slots=1\nkey=k\n").split("\n");
  const fence = /\d+/.exec(line ?? "")?.[0];
  const number = Number(/(\d{16})-[^/]*$/.exec(ticket)?.[1]) + 1;
  const passed = Array.from({ length: passes }, () => `${number}:${Number(fence)}`);
  state.names.set(path, inode);
  state.files.set(inode, `${line}\n${key}\npassed=${passed}\n`);
}

function asNewest(seen: FileView): FileView {
  const ticket = parseTicket(seen.content);
  if (ticket === null) return seen;
  return { ...seen, content: bytesOf(writeTicket({ ...ticket, newest: true })) };
}

const encoded = new Map<string, Uint8Array>();

function bytesOf(text: string): Uint8Array {
  let bytes = encoded.get(text);
  if (bytes === undefined) {
    bytes = Buffer.from(text, "utf8");
    encoded.set(text, bytes);
  }
  return bytes;
}

function count(state: MemoryState, pid: number): number {
  const made = (state.made.get(pid) ?? 0) + 1;
  state.made.set(pid, made);
  return made;
}

function newInode(state: MemoryState, pid: number): string {
  return `${pid}:${count(state, pid)}`;
}

export function create(state: MemoryState, pid: number, path: string, content: string): Descriptor {
  if (state.names.has(path)) throw Object.assign(new Error(`EEXIST: ${path}`), { code: "EEXIST" });
  const inode = newInode(state, pid);
  state.names.set(path, inode);
  state.files.set(inode, content);
  return { handle: pid, inode };
}

function link(
  state: MemoryState,
  from: string,
  to: string,
  replaces: boolean,
): "linked" | "exists" | "source-gone" {
  const inode = state.names.get(from);
  if (inode === undefined) return "source-gone";
  if (state.names.has(to) && !replaces) return "exists";
  state.names.set(to, inode);
  return "linked";
}
