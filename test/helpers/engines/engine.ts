import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { unusedPort } from "../ports.ts";

/** A real engine for tests and benchmarks, on a loopback port and in a directory of its own. */
export interface Engine {
  readonly name: string;
  /** Of its first member; a network in between takes it as its target. */
  readonly port: number;
  readonly pid: number;
  /** Round trips of an acquire and its release. Default 3. */
  readonly trips?: number;
  /** A store in it that nothing was ever written to. `port`: of a network in between. */
  fresh(port?: number): Promise<string>;
  /** From now on it asks for a password, with characters in it that have a meaning in URLs. */
  protect?(): Promise<Protected>;
  /** Ends it as a crash does. */
  kill(): Promise<void>;
  /** Starts it again, on its port and its data. */
  startAgain(): Promise<void>;
  /** Ends it, and removes all that it wrote. */
  stop(): Promise<void>;
}

export interface Protected {
  /** What must be nowhere to be seen. */
  readonly password: string;
  /** What is given as the store's token. Default: the password. */
  readonly token?: string;
  /** Variables that hold the password, for an engine whose URL never does. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A fresh store, by the URL with the user in it, and the password too where `inUrl` is said. */
  fresh(inUrl: boolean): Promise<string>;
}

/** How the program of an engine is run. */
export interface Program {
  readonly file: string;
  args(port: number, directory: string): readonly string[];
  /** Done once, before the first start. */
  prepare?(directory: string): void;
  readonly env?: NodeJS.ProcessEnv;
  /** Whom to run it as, where it refuses to run as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  isReady(port: number): Promise<boolean>;
}

/** A machine without the program skips what needs it, visibly. */
export function isInstalled(file: string): boolean {
  return spawnSync(file, ["--version"], { stdio: "ignore" }).error === undefined;
}

const STARTS = 5;
const READY_MS = 60_000;
const OUTPUT_KEPT = 4_000;

/** Starts something on ports that it chooses: where another program has taken one meanwhile, again. */
export async function onFreePorts<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries === STARTS) throw error;
    }
  }
}

/** One process of an engine, that can be killed and started again. */
export class EngineProcess {
  readonly directory: string;
  readonly #program: Program;
  #port = 0;
  #child: ChildProcess | null = null;
  #output = "";

  private constructor(program: Program) {
    this.#program = program;
    this.directory = mkdtempSync(join(tmpdir(), "holdfast-engine-"));
  }

  static async start(program: Program, port?: number): Promise<EngineProcess> {
    const engine = new EngineProcess(program);
    program.prepare?.(engine.directory);
    try {
      if (port === undefined) await onFreePorts(() => engine.#startOn());
      else await engine.#startOn(port);
      return engine;
    } catch (error) {
      rmSync(engine.directory, { recursive: true, force: true });
      throw error;
    }
  }

  async #startOn(port?: number): Promise<void> {
    this.#port = port ?? (await unusedPort());
    await this.startAgain();
  }

  get port(): number {
    return this.#port;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  /** Without waiting until it answers: a member of a cluster needs the others for that. */
  launch(): void {
    const { file, args, env = {}, user = {} } = this.#program;
    const child = spawn(file, args(this.#port, this.directory), {
      cwd: this.directory,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...user,
    });
    this.#child = child;
    child.on("error", (error) => {
      this.#output += error.message;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output = (this.#output + text).slice(-OUTPUT_KEPT);
      });
    }
  }

  async startAgain(): Promise<void> {
    this.launch();
    const end = performance.now() + READY_MS;
    while (!(await this.#program.isReady(this.#port).catch(() => false))) {
      const { exitCode = 1, signalCode = null } = this.#child ?? {};
      if (exitCode !== null || signalCode !== null || performance.now() > end) {
        await this.end("SIGKILL");
        throw new Error(`${this.#program.file} does not start: ${this.#output}`);
      }
      await delay(20);
    }
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  async stop(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.directory, { recursive: true, force: true });
  }
}
