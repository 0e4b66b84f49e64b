import { formatDuration } from "../../lock/duration.ts";

/** A request that was sent and is not answered yet. */
export interface Unanswered {
  /** By `performance.now`. */
  readonly sentAt: number;
  /** Milliseconds of silence that its caller puts up with. */
  readonly patience: number;
}

/** An answer that its caller no longer waits for: if nothing came for so long, another way is tried. */
const SUSPECT_MS = 1_000;

/**
 * Notices that a connection has fallen silent: a request is unanswered, and nothing at all was heard
 * for as long as its caller puts up with. Whatever is heard counts, since answers come in an order.
 */
export class Silence {
  readonly #unanswered: Iterable<Unanswered>;
  readonly #fail: (silence: string) => void;
  #timer: NodeJS.Timeout | undefined;
  #heardAt = 0;
  #isOver = false;

  /** `unanswered`: the oldest first, kept by the connection. `fail`: told how long it has lasted. */
  constructor(unanswered: Iterable<Unanswered>, fail: (silence: string) => void) {
    this.#unanswered = unanswered;
    this.#fail = fail;
  }

  /** Whether anything was ever heard. */
  get hasHeard(): boolean {
    return this.#heardAt > 0;
  }

  /** Something came from the server. `watch` has to follow, once it is taken in. */
  heard(): void {
    this.#heardAt = performance.now();
  }

  /** To be called whenever a request was sent or answered. */
  watch(): void {
    clearTimeout(this.#timer);
    const all = [...this.#unanswered];
    const [oldest] = all;
    if (oldest === undefined || this.#isOver) return;
    const ends = all.map(({ sentAt, patience }) => Math.max(sentAt, this.#heardAt) + patience);
    const left = Math.max(1, Math.min(...ends) - performance.now());
    this.#timer = setTimeout(() => this.#tell(oldest.sentAt), left);
  }

  /** A caller waits no longer for what was sent then. */
  givenUp(sentAt: number): void {
    if (performance.now() - sentAt >= SUSPECT_MS && this.#heardAt < sentAt) this.#tell(sentAt);
  }

  /** The connection is over. */
  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  #tell(sentAt: number): void {
    this.#fail(formatDuration(performance.now() - sentAt));
  }
}
