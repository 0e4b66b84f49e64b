import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type HistoryWriter, now } from "../history/event.ts";
import type { WorkerTask } from "./worker.ts";

const PROGRAM = fileURLToPath(new URL("worker.ts", import.meta.url));

interface Member {
  readonly name: string;
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  isStopped: boolean;
}

/** The processes of a proof. What is done to them is written into the history before it is done. */
export class ProofCrew {
  readonly #members: Member[] = [];
  readonly #history: HistoryWriter;
  readonly #taskOf: (name: string, run: number) => WorkerTask;
  readonly #onFreeze: (key: string) => Promise<void>;
  readonly failures: string[] = [];
  /** How often a process froze itself in the midst of its work. */
  freezes = 0;
  #started = 0;
  #isEnding = false;

  /** `onFreeze` ends when a process that froze itself while it held the key may go on. */
  constructor(
    size: number,
    history: HistoryWriter,
    onFreeze: (key: string) => Promise<void>,
    taskOf: (name: string, run: number) => WorkerTask,
  ) {
    this.#history = history;
    this.#onFreeze = onFreeze;
    this.#taskOf = taskOf;
    for (let place = 0; place < size; place++) this.#start(place);
  }

  /** kill -9; a new process takes its place. */
  kill(place: number): void {
    const member = this.#members[place];
    if (member === undefined || isGone(member)) return;
    this.#history.write({ at: now(), process: member.name, event: "kill" });
    member.child.kill("SIGKILL");
  }

  /** SIGSTOP; the answer lets it go on. Null: it is stopped already, or gone. */
  stop(place: number): (() => void) | null {
    const member = this.#members[place];
    if (member === undefined || member.isStopped || isGone(member)) return null;
    this.#history.write({ at: now(), process: member.name, event: "stop" });
    member.child.kill("SIGSTOP");
    member.isStopped = true;
    return () => {
      this.#history.write({ at: now(), process: member.name, event: "continue" });
      member.isStopped = false;
      member.child.kill("SIGCONT");
    };
  }

  /** Moves a process's wall clock by so many milliseconds. */
  shiftClock(place: number, milliseconds: number): void {
    const stdin = this.#members[place]?.child.stdin;
    if (stdin?.writable) stdin.write(`${milliseconds}\n`);
  }

  /** Lets all of them finish what they do. One that does not within the time is killed, and named. */
  async end(patience: number): Promise<void> {
    this.#isEnding = true;
    for (const { child } of this.#members) child.stdin?.end();
    const timer = setTimeout(() => {
      for (const member of this.#members.filter((each) => !isGone(each))) {
        this.failures.push(`${member.name} did not end`);
        member.child.kill("SIGKILL");
      }
    }, patience);
    await Promise.all(this.#members.map(({ exited }) => exited));
    clearTimeout(timer);
  }

  async #thaw(name: string, child: ChildProcess, key: string): Promise<void> {
    this.freezes++;
    await this.#onFreeze(key);
    if (child.exitCode !== null || child.signalCode !== null) return;
    this.#history.write({ at: now(), process: name, event: "continue" });
    child.kill("SIGCONT");
  }

  #start(place: number): void {
    const run = this.#started++;
    const name = `w${place}.${run}`;
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(this.#taskOf(name, run))], {
      stdio: ["pipe", "pipe", "pipe"],
    });
    createInterface({ input: child.stdout }).on("line", (key) => this.#thaw(name, child, key));
    let words = "";
    child.stderr?.on("data", (data: Buffer) => {
      words += data.toString("utf8");
    });
    child.stdin?.on("error", () => {});
    const exited = once(child, "close").then(() => {
      this.#history.write({ at: now(), process: name, event: "ended" });
      if (child.exitCode !== 0 && child.signalCode !== "SIGKILL")
        this.failures.push(`${name} ended with ${child.exitCode}: ${words.trim().slice(0, 2_000)}`);
      if (!this.#isEnding && this.failures.length === 0) this.#start(place);
    });
    this.#members[place] = { name, child, exited, isStopped: false };
  }
}

function isGone({ child }: Member): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
