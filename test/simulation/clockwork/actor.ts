import type { Due } from "./queue.ts";

/**
 * One simulated process. All of them run the shipped code in the same real process, one event at a
 * time; what belongs to which of them is known by who runs.
 */
export class Actor {
  readonly id: number;
  readonly name: string;
  /** The machine: what cuts its network cuts that of all its processes. */
  readonly host: string;
  state: "runs" | "frozen" | "dead" = "runs";
  /** Milliseconds by which its wall clock differs from the true one. */
  wallOffset = 0;
  /** What came while it was frozen. */
  readonly held: Due[] = [];

  constructor(id: number, name: string, host: string) {
    this.id = id;
    this.name = name;
    this.host = host;
  }
}
