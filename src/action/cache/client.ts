import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { here, identify } from "../../ci/index.ts";
import { keptEnvironment } from "../../keeper/client/spawn.ts";
import { messageOf } from "../../lock/errors.ts";
import type { Hold } from "../../lock/history.ts";
import { maySendSecret } from "../../lock/text.ts";
import { cacheEntry } from "../../machine/programs.ts";
import { randomHex } from "../../machine/random.ts";
import type { Outcome, State } from "../state.ts";
import type { Stage } from "../workflow.ts";
import { entryName, entryPrefix, readMemory, writeMemory } from "./entry.ts";

/** A request to the cache's program, over its channel: to save a text, or else to restore one. */
export interface CacheRequest {
  /**
   * What the program needs of the environment. It comes in the request, since other steps could read an
   * environment.
   */
  readonly variables: NodeJS.ProcessEnv;
  readonly prefix: string;
  readonly save: { readonly name: string; readonly text: string } | null;
}

export interface CacheAnswer {
  /** Null: nothing was found. */
  readonly text: string | null;
  readonly problem: string | null;
}

/** How long a stage may spend on the cache in all: a job must not wait for its history. */
const PATIENCE_MS = 5_000;

/**
 * Adds this job's hold, which has just ended, to the history in the cache. Resolves to the holds that
 * were remembered before.
 */
export async function remember(
  stage: Stage,
  state: State,
  outcome: Extract<Outcome, { acquired: true }>,
  now: number,
): Promise<readonly Hold[]> {
  const { inputs, owner, store } = state;
  if (!maySendSecret(cacheAddress(stage.env), state.cache ?? null)) {
    stage.core.debug("holdfast: history cache: a step has changed its address, nothing is sent");
    return [];
  }
  const { since, waited, fence } = outcome;
  const { metadata } = identify({ ...here(), env: stage.env }).owner;
  const held = Math.max(0, now - Date.parse(since));
  const hold = { owner, since, waited, held, fence, slot: 0, end: "released", metadata } as const;
  const memory = new Recall(stage, inputs.key, store);
  try {
    return await memory.add(hold);
  } finally {
    memory.end();
  }
}

/**
 * The history of a key in the Actions cache. A failure here is only a debug line: nothing that
 * the lock does depends on it.
 */
export class Recall {
  readonly #stage: Stage;
  readonly #key: string;
  readonly #store: string;
  readonly #end = new AbortController();
  /** Begins with the first request. */
  #deadline: AbortSignal | null = null;
  #restored: Promise<readonly Hold[]> | null = null;
  #child: ChildProcess | null = null;
  #directory: string | null = null;

  constructor(stage: Stage, key: string, store: string) {
    this.#stage = stage;
    this.#key = key;
    this.#store = store;
  }

  /** The holds that were remembered, newest first. Further calls return the same. */
  readonly restore = (): Promise<readonly Hold[]> => {
    this.#restored ??= this.#restore().catch((error) => this.#giveUp(error));
    return this.#restored;
  };

  /** Adds a hold to what is remembered. Resolves to what was remembered before. */
  async add(hold: Hold): Promise<readonly Hold[]> {
    const before = await this.restore();
    const { prefix } = this;
    const memory = { key: this.#key, store: this.#store, holds: [hold, ...before] };
    const name = entryName(prefix, Date.now(), randomHex(4));
    try {
      const { problem } = await this.#ask({ prefix, save: { name, text: writeMemory(memory) } });
      this.#debug(problem ?? `saved ${memory.holds.length} holds as ${name}`);
    } catch (error) {
      this.#giveUp(error);
    }
    return before;
  }

  /** Ends requests that are still under way: their results are not needed any more. */
  end(): void {
    this.#end.abort();
    if (this.#child !== null) endProgram(this.#child);
    if (this.#directory !== null) removeQuietly(this.#directory);
  }

  get prefix(): string {
    return entryPrefix(this.#key, this.#store);
  }

  async #restore(): Promise<readonly Hold[]> {
    const { text, problem } = await this.#ask({ prefix: this.prefix, save: null });
    const holds = text === null ? [] : readMemory(text, this.#key, this.#store);
    const found = holds === null ? "an entry that cannot be read" : `${holds.length} holds`;
    this.#debug(problem ?? `restored ${found}`);
    return holds ?? [];
  }

  #giveUp(error: unknown): readonly Hold[] {
    this.#debug(this.#deadline?.aborted ? "given up, it takes too long" : messageOf(error));
    return [];
  }

  readonly #debug = (what: string): void => {
    if (!this.#end.signal.aborted) this.#stage.core.debug(`holdfast: history cache: ${what}`);
  };

  async #ask(request: Omit<CacheRequest, "variables">): Promise<CacheAnswer> {
    const { env, program } = this.#stage;
    if (!env.ACTIONS_RESULTS_URL && !env.ACTIONS_CACHE_URL)
      throw new Error("this runner offers no cache");
    this.#deadline ??= AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), this.#end.signal]);
    this.#deadline.throwIfAborted();
    this.#directory ??= mkdtempSync(join(env.RUNNER_TEMP ?? ".", "holdfast-cache-"));
    this.#child ??= startProgram(cacheEntry(program), this.#directory, env, this.#debug);
    const { GITHUB_WORKSPACE: _, RUNNER_TEMP: __, ...variables } = cacheVariables(env);
    return answerOf(this.#child, { ...request, variables }, this.#deadline);
  }
}

/** Starts the program in a directory of its own, as its workspace: entries hold relative paths only. */
function startProgram(
  entry: string,
  directory: string,
  env: NodeJS.ProcessEnv,
  tell: (what: string) => void,
): ChildProcess {
  const { PROGRAMFILES, SYSTEMDRIVE } = env;
  const tar = { ...(PROGRAMFILES && { PROGRAMFILES }), ...(SYSTEMDRIVE && { SYSTEMDRIVE }) };
  const own = { ...tar, GITHUB_WORKSPACE: directory, RUNNER_TEMP: directory };
  const child = spawn(process.execPath, [entry], {
    cwd: directory,
    env: { ...keptEnvironment(env), ...own },
    stdio: ["ignore", "pipe", "ignore", "ipc"],
    // A group of its own, so that its tar ends with it.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  child.on("error", () => {});
  // It prints annotations, which must not become this step's; and masks for addresses that it signs.
  const onLine = (line: string) => {
    const complaint = /^::(?:warning|error)[^:]*::(.*)$/.exec(line)?.[1];
    if (complaint !== undefined) tell(complaint.replace(/\?\S*/g, "?…"));
  };
  if (child.stdout !== null) createInterface(child.stdout).on("line", onLine);
  return child;
}

/** What @actions/cache reads: the service's addresses and token, the runner's facts, and proxies. */
function cacheVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const wanted = /^(ACTIONS_|GITHUB_|RUNNER_|CACHE_|SEGMENT_|(https?|no)_proxy$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => wanted.test(name)));
}

/** Where the cache is, as the runner says it; saved at the claim, since steps can change variables. */
export function cacheAddress(env: NodeJS.ProcessEnv): string {
  return `${env.ACTIONS_RESULTS_URL ?? ""} ${env.ACTIONS_CACHE_URL ?? ""}`;
}

function answerOf(
  child: ChildProcess,
  request: CacheRequest,
  deadline: AbortSignal,
): Promise<CacheAnswer> {
  return new Promise((resolve, reject) => {
    deadline.addEventListener("abort", () => reject(deadline.reason), { once: true });
    child.once("message", (answer) => resolve(answer as CacheAnswer));
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`its program ended (${signal ?? code})`)),
    );
    child.send(request, (error) => {
      if (error !== null) reject(error);
    });
  });
}

/** Removes the directory. The program, or its tar, may still be writing there; the runner removes the rest. */
function removeQuietly(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // Nothing depends on it.
  }
}

function endProgram(child: ChildProcess): void {
  if (child.connected) child.disconnect();
  child.stdout?.destroy();
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(process.platform === "win32" ? child.pid : -child.pid, "SIGKILL");
  } catch {
    // Ended by itself.
  }
  child.unref();
}
