import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Task } from "./participant.ts";
import type { Turn } from "./turn.ts";

const PROGRAM = fileURLToPath(new URL("participant.ts", import.meta.url));

/** Processes that take part in a benchmark, each running the same program. */
export class Participants<T = Task> {
  readonly #children: ChildProcess[];

  /** Rejects when one of them has ended: whoever waits for its answer would wait for ever. */
  readonly #failed: Promise<never>;

  private constructor(children: ChildProcess[]) {
    this.#children = children;
    const ends = children.map((child) => once(child, "exit"));
    this.#failed = Promise.race(ends).then(([code]) => {
      throw new Error(`a participant ended with ${code}`);
    });
    this.#failed.catch(() => {});
  }

  static start(count: number, url: string, key: string): Promise<Participants> {
    return Participants.run<Task>(count, PROGRAM, [url, key]);
  }

  static async run<T>(
    count: number,
    program: string,
    args: readonly string[],
  ): Promise<Participants<T>> {
    const children = Array.from({ length: count }, () => fork(program, args));
    await Promise.all(children.map((child) => once(child, "message")));
    return new Participants<T>(children);
  }

  get count(): number {
    return this.#children.length;
  }

  async tell(index: number, task: T): Promise<Turn[]> {
    const child = this.#children[index % this.#children.length];
    if (child === undefined) throw new Error("there are no participants");
    const answer = once(child, "message");
    child.send(task as object);
    const [turns] = (await Promise.race([answer, this.#failed])) as [Turn[]];
    return turns;
  }

  /** Without a channel they have nothing left to do, and end. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map((child) => {
        const exited = once(child, "exit");
        child.disconnect();
        return exited;
      }),
    );
  }
}
