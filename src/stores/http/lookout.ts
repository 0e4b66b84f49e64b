import type { Progress } from "../../lock/store.ts";
import { Lookout } from "../remote/lookout.ts";
import type { Answer } from "./answer.ts";
import type { LockServer } from "./client.ts";
import type { Session } from "./session.ts";
import { type Picture, pictureIn } from "./status.ts";

/** How late the first look is: a claim that is granted at once needs no report. */
const FIRST_LOOK_MS = 25;
const ANSWER_MS = 5_000;

export interface HttpLookoutOptions {
  readonly server: LockServer;
  readonly serverKey: string;
  readonly onProgress: (progress: Progress) => void;
}

/** A lookout over the line of an HTTP server, in the claim's own session. */
export class HttpLookout extends Lookout<Answer> {
  readonly #options: HttpLookoutOptions;
  #session: Session | null = null;
  #recall = new AbortController();
  #isPlaced = false;
  #hasWarned = false;

  constructor(options: HttpLookoutOptions) {
    super(options.onProgress);
    this.#options = options;
  }

  /** The server has said that the claim stands in line. */
  get isPlaced(): boolean {
    return this.#isPlaced;
  }

  start(session: Session): void {
    this.#session = session;
    this.#isPlaced = false;
    this.begin(FIRST_LOOK_MS);
  }

  /** Of one question: fires when the server has forgotten that it was asked. */
  recall(): AbortSignal {
    if (this.#recall.signal.aborted) this.#recall = new AbortController();
    return this.#recall.signal;
  }

  /** Reports on a server without lines: a claim that waits there does not know how many others do. */
  tellHolders({ holders }: Picture): void {
    this.tell({ position: 1, waiting: 1, holders });
  }

  /** Said once, however often it is true. */
  warn(trouble: string): void {
    if (!this.#hasWarned) this.report(trouble);
    this.#hasWarned = true;
  }

  protected ask(): Promise<Answer> {
    const { serverKey } = this.#options;
    return (this.#session as Session).lock("status", serverKey, { patience: ANSWER_MS });
  }

  protected absorb(answer: Answer): number | null {
    const { status, body } = answer;
    if (status === 401) return this.#forgotten();
    if (status !== 200 || body === null) throw this.#options.server.refusal(answer);
    const picture = pictureIn(body);
    const { position, waiting, waiters, holders, isOwn, frozen, frozenSlots, slots } = picture;
    // The claim's own answers tell of a server without lines.
    if (position === undefined) return null;
    if (position === null) return this.#missing(isOwn);
    this.#isPlaced = true;
    const ahead = waiters.slice(0, position - 1);
    this.tell({
      position,
      waiting: Math.max(position, waiting),
      holders,
      ahead,
      frozen,
      frozenSlots: frozenSlots.filter(({ slot }) => slot < slots),
    });
    return null;
  }

  /**
   * The claim has no place: its question may not have arrived yet. The next look comes soon, then less and less
   * soon.
   */
  #missing(isOwn: boolean): number | null {
    const isLongGone = this.isAbsent(isOwn);
    if (!this.#isPlaced) return FIRST_LOOK_MS * 2 ** this.absences;
    return isLongGone ? this.#forgotten() : null;
  }

  #forgotten(): null {
    this.wasForgotten();
    this.#recall.abort();
    return null;
  }
}
