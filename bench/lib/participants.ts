import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Task, Turn } from "./participant.ts";

const PROGRAM = fileURLToPath(new URL("participant.ts", import.meta.url));

/** Processes that take part in a benchmark. */
export class Participants {
  readonly #children: ChildProcess[];

  private constructor(children: ChildProcess[]) {
    this.#children = children;
  }

  static async start(count: number, url: string, key: string): Promise<Participants> {
    const children = Array.from({ length: count }, () => fork(PROGRAM, [url, key]));
    await Promise.all(children.map((child) => once(child, "message")));
    return new Participants(children);
  }

  get count(): number {
    return this.#children.length;
  }

  async tell(index: number, task: Task): Promise<Turn[]> {
    const child = this.#children[index % this.#children.length];
    if (child === undefined) throw new Error("there are no participants");
    const answer = once(child, "message");
    child.send(task);
    const [turns] = (await answer) as [Turn[]];
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
