import { isLockError } from "../../lock/errors.ts";
import type { Progress } from "../../lock/store.ts";
import { FAILURES_LIMIT, lookPause } from "../remote/in-line.ts";
import type { LockServer } from "./client.ts";
import type { Session } from "./session.ts";
import { type Picture, pictureIn } from "./status.ts";

/** A claim that is granted at once needs no report. */
const FIRST_LOOK_MS = 25;
const ANSWER_MS = 5_000;

export interface LookoutOptions {
  readonly server: LockServer;
  readonly serverKey: string;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Looks at the line while a claim stands in it: the claim's own request is busy waiting. It reports
 * the place, and notices a server that forgot the claim.
 */
export class Lookout {
  readonly #options: LookoutOptions;
  #session: Session | null = null;
  #recall = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #progress: Progress = { position: 1, waiting: 1, holders: [] };
  #isPlaced = false;
  #hasWarned = false;
  #failures = 0;
  #absences = 0;

  constructor(options: LookoutOptions) {
    this.#options = options;
  }

  /** The server has said that the claim stands in line. */
  get isPlaced(): boolean {
    return this.#isPlaced;
  }

  start(session: Session): void {
    this.#session = session;
    this.#isPlaced = false;
    this.#lookLater(FIRST_LOOK_MS);
  }

  stop(): void {
    this.#session = null;
    clearTimeout(this.#timer);
  }

  /** For one question: fires when the server has forgotten that it was asked. */
  recall(): AbortSignal {
    if (this.#recall.signal.aborted) this.#recall = new AbortController();
    return this.#recall.signal;
  }

  /** Of a server without lines: whoever waits there does not know how many others do. */
  tell({ holders }: Picture): void {
    this.#progress = { position: 1, waiting: 1, holders };
    this.#options.onProgress(this.#progress);
  }

  /** Says why waiting is unusual, with what was last known. */
  report(trouble: string): void {
    this.#options.onProgress({ ...this.#progress, trouble });
  }

  /** Said once, however often it is true. */
  warn(trouble: string): void {
    if (!this.#hasWarned) this.report(trouble);
    this.#hasWarned = true;
  }

  #lookLater(pause: number): void {
    clearTimeout(this.#timer);
    if (this.#session !== null) this.#timer = setTimeout(() => void this.#look(), pause);
  }

  async #look(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    const { server, serverKey } = this.#options;
    let pause = lookPause(this.#progress.waiting);
    try {
      const answer = await session.lock("status", serverKey, { patience: ANSWER_MS });
      if (this.#session !== session) return;
      if (answer.status === 401) this.#forgotten();
      else if (answer.status !== 200 || answer.body === null) throw server.refusal(answer);
      else {
        this.#failures = 0;
        // The question may not have arrived yet: soon again, then less and less soon.
        const isThere = this.#absorb(pictureIn(answer.body)) || this.#isPlaced;
        if (!isThere) pause = Math.min(pause, FIRST_LOOK_MS * 2 ** this.#absences);
      }
    } catch (error) {
      if (this.#session !== session) return;
      this.#failures += 1;
      if (this.#failures >= FAILURES_LIMIT && isLockError(error)) {
        this.report(error.message.replace(/\.$/, ""));
      }
    }
    this.#lookLater(pause);
  }

  /** False: the claim has no place in what the server tells. */
  #absorb({ position, waiting, waiters, holders, isOwn }: Picture): boolean {
    // The claim's own answers tell of a server without lines.
    if (position === undefined) return true;
    if (position === null) {
      this.#absences = isOwn ? 0 : this.#absences + 1;
      if (this.#isPlaced && this.#absences >= FAILURES_LIMIT) this.#forgotten();
      return false;
    }
    this.#absences = 0;
    this.#isPlaced = true;
    const ahead = waiters.slice(0, position - 1);
    this.#progress = { position, waiting: Math.max(position, waiting), holders, ahead };
    this.#options.onProgress(this.#progress);
    return true;
  }

  #forgotten(): void {
    this.#absences = 0;
    this.#recall.abort();
  }
}
