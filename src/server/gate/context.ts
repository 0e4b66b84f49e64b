import type { Hold } from "../../lock/history.ts";
import type { Clock } from "../../lock/time.ts";
import type { Logger } from "../log.ts";
import type { Storage } from "../storage/types.ts";
import type { Claim, Listener } from "../table/claim.ts";
import type { LockTable } from "../table/table.ts";
import type { Questions } from "./ask.ts";
import type { Pass } from "./pass.ts";

/** One course, as the others of its run know it. */
export interface Fellow {
  readonly pass: Pass;
  readonly claim: Claim | null;
  record(): void;
}

/** What the gate's courses share. */
export interface CourseContext {
  readonly table: LockTable;
  readonly clock: Clock;
  readonly log: Logger;
  readonly storage: Pick<Storage, "found" | "record" | "settled">;
  readonly history: { of(key: string): readonly Hold[] };
  readonly questions: Questions;
  readonly web: string;
  /** Is told when the table has done something for a claim. */
  readonly listener: Listener;
  readonly isStopped: boolean;
  githubNow(): number;
  /** Milliseconds between two questions where no event says anything. */
  askEvery(): number;
  /** Has all courses looked at as soon as the table is done. */
  soon(): void;
  courses(): readonly Fellow[];
  coursesOf(repositoryId: number, run: number): readonly Fellow[];
  forget(course: Fellow): void;
  /** What jobs of the run claimed together with this claim is their own from now on. */
  giveBack(claim: Claim): void;
}
