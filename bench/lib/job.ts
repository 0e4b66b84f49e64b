import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const DIST = join(import.meta.dirname, "../../dist");

/** Runs the action's committed stages as the runner does: separate processes, files for state and outputs. */
export class Job {
  readonly #dist: string;
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(folder: string, inputs: Record<string, string>, name: string, dist = DIST) {
    this.#dist = dist;
    this.#folder = mkdtempSync(join(folder, "job-"));
    mkdirSync(join(this.#folder, "temp"));
    this.#env = {
      PATH: process.env.PATH,
      RUNNER_TEMP: join(this.#folder, "temp"),
      GITHUB_ACTIONS: "true",
      GITHUB_RUN_ID: "1",
      GITHUB_RUN_ATTEMPT: "1",
      GITHUB_JOB: name,
      GITHUB_REPOSITORY: "acme/shop",
      GITHUB_WORKSPACE: this.#folder,
      ...Object.fromEntries(
        Object.entries(inputs).map(([key, value]) => [`INPUT_${key.toUpperCase()}`, value]),
      ),
    };
    for (const file of ["state", "output", "env", "path", "summary"]) {
      writeFileSync(join(this.#folder, file), "");
    }
  }

  start(stage: "pre" | "main" | "post"): ChildProcess {
    return spawn(process.execPath, [join(this.#dist, stage, "index.js")], {
      env: this.#stageEnv(),
      stdio: "ignore",
    });
  }

  run(stage: "pre" | "main" | "post"): void {
    const program = join(this.#dist, stage, "index.js");
    const result = spawnSync(process.execPath, [program], {
      env: this.#stageEnv(),
      encoding: "utf8",
    });
    if (result.status !== 0) throw new Error(`${stage} failed: ${result.stdout}${result.stderr}`);
  }

  /** The keeper's pid, from the lease file. */
  keeperPid(): number {
    const { leaseFile } = JSON.parse(this.#state().STATE_holdfast ?? "{}");
    return JSON.parse(readFileSync(leaseFile, "utf8")).keeper.pid;
  }

  end(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #stageEnv(): NodeJS.ProcessEnv {
    const file = (name: string) => join(this.#folder, name);
    return {
      ...this.#env,
      ...this.#state(),
      GITHUB_STATE: file("state"),
      GITHUB_OUTPUT: file("output"),
      GITHUB_ENV: file("env"),
      GITHUB_PATH: file("path"),
      GITHUB_STEP_SUMMARY: file("summary"),
    };
  }

  /** The state file's `name<<delimiter` blocks; the last one of a name counts. */
  #state(): Record<string, string> {
    const state: Record<string, string> = {};
    const text = readFileSync(join(this.#folder, "state"), "utf8");
    for (const match of text.matchAll(/^(\w+)<<(\S+)\r?\n([\s\S]*?)\r?\n\2$/gm)) {
      state[`STATE_${match[1]}`] = match[3] ?? "";
    }
    return state;
  }
}
