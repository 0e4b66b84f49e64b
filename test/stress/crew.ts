import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { type HistoryWriter, now } from "../history/event.ts";
import type { WorkerTask } from "./worker.ts";

const PROGRAM = fileURLToPath(new URL("worker.ts", import.meta.url));

interface Member {
  readonly place: number;
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
}

export interface CrewOptions {
  readonly size: number;
  readonly history: HistoryWriter;
  /** A directory for compiled modules. */
  readonly cache: string;
  readonly taskOf: (place: number, name: string, run: number) => WorkerTask;
  /** A worker that ended though nobody ended it. */
  readonly onFailure: (sentence: string) => void;
}

/** The worker processes of a stress run. Those that are killed are started again. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #members: Member[] = [];
  #started = 0;
  #stopping = false;
  kills = 0;

  constructor(options: CrewOptions) {
    this.#options = options;
    for (let place = 0; place < options.size; place++) this.#start(place);
  }

  get names(): string[] {
    return this.#members.map((member) => member.name);
  }

  kill(place: number): void {
    const member = this.#members[place];
    if (member === undefined || member.child.exitCode !== null || member.child.killed) return;
    this.kills++;
    this.#note(member.name, "kill");
    member.child.kill("SIGKILL");
  }

  /** Lets every process finish; with `force`, kills the ones that do not. */
  async stop(force: boolean): Promise<void> {
    this.#stopping = true;
    for (const { child, name } of this.#members) {
      if (force) {
        this.#note(name, "kill");
        child.kill("SIGKILL");
      } else child.stdin?.end();
    }
    await Promise.all(this.#members.map((member) => member.exited));
  }

  #note(name: string, event: "kill" | "ended"): void {
    this.#options.history.write({ at: now(), process: name, event });
  }

  #start(place: number): void {
    const run = this.#started++;
    const name = `w${place}.${run}`;
    const task = JSON.stringify(this.#options.taskOf(place, name, run));
    const child = spawn(process.execPath, [PROGRAM, task], {
      stdio: ["pipe", "inherit", "pipe"],
      // Starting is most of what a killed worker costs; the cache halves it.
      env: { ...process.env, NODE_COMPILE_CACHE: this.#options.cache },
    });
    let words = "";
    child.stderr?.on("data", (data: Buffer) => {
      words += data.toString("utf8");
    });
    // A killed worker's pipe may break under a last write.
    child.stdin?.on("error", () => {});
    const exited = once(child, "close").then(() => this.#ended(place, name, child, words));
    this.#members[place] = { place, name, child, exited };
  }

  #ended(place: number, name: string, child: ChildProcess, words: string): void {
    this.#note(name, "ended");
    if (child.exitCode !== 0 && !child.killed) {
      const how = child.signalCode ?? `exit code ${child.exitCode}`;
      this.#options.onFailure(`${name} ended with ${how}: ${words.trim()}`);
    }
    if (!this.#stopping) this.#start(place);
  }
}
